// Node itself loads the modules of test files, each once for all files that a worker runs. Jest would compile and run all of them anew for
// each file, in a context of its own: that was most of the time of a run. A file that has to have a context of its own, because it replaces
// what Node uses too, says `@jest-environment node` at its top. Node runs this file without a build: only erasable type syntax.
import { existsSync } from 'node:fs';
import { createRequire, registerHooks, type LoadHookSync, type ResolveHookSync } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const nodeRequire = createRequire(import.meta.url);
const { default: Runtime } = nodeRequire('jest-runtime') as typeof import('jest-runtime');

type Given = ConstructorParameters<typeof Runtime>;
type Globals = Readonly<Record<string, object>>;

/** Where the source map of each loaded source is, by the source's URL. */
const sourceMaps = new Map<string, string>();
/** Of the file that runs. */
let present: { readonly globals: () => Globals; readonly transformer: Given[3]; readonly coverage: Given[5] } | null = null;

export default class NativeRuntime extends Runtime {
  constructor(...given: Given) {
    const [, environment, , transformer, , coverage, testPath] = given;
    if (environment.global !== globalThis) return new Runtime(...given) as NativeRuntime;
    super(...given);
    if (!present) registerHooks({ resolve, load });
    present = { globals: () => this.requireModuleOrMock<Globals>(testPath, '@jest/globals'), transformer, coverage };
  }

  /** The test framework holds the tests of one file, so it is loaded anew. What it loads in turn stays. */
  override requireInternalModule<T>(path: string): T {
    Reflect.deleteProperty(nodeRequire.cache, path);
    return nodeRequire(path) as T;
  }

  override requireModule<T>(from: string, name = from): T {
    return nodeRequire(name) as T;
  }

  override async unstable_importModule(path: string): Promise<undefined> {
    await import(pathToFileURL(path).href);
  }

  override getSourceMaps(): Map<string, string> {
    return sourceMaps;
  }
}

/** Sources import `#lib/<name>`, and each other as the built files will be named. */
const resolve: ResolveHookSync = (specifier, context, next) => {
  const { parentURL = '', conditions } = context;
  if (specifier === '@jest/globals') return { url: `jest:globals?for=${parentURL}`, shortCircuit: true };
  if (specifier.startsWith('#')) return next(specifier, { ...context, conditions: [...conditions, 'invoq-source'] });
  if (!isSource(parentURL) || !/^\..*\.js$/.test(specifier)) return next(specifier, context);
  const source = new URL(specifier.replace(/\.js$/, '.ts'), parentURL);
  return existsSync(source) ? { url: source.href, shortCircuit: true } : next(specifier, context);
};

const load: LoadHookSync = (url, context, next) => {
  if (url.startsWith('jest:globals?')) return { format: 'module', source: globalsFor(url), shortCircuit: true };
  if (!present || !isSource(url)) return next(url, context);
  const { code, sourceMapPath } = present.transformer.transform(fileURLToPath(url), {
    ...present.coverage,
    isInternalModule: false,
    supportsDynamicImport: true,
    supportsExportNamespaceFrom: true,
    supportsStaticESM: true,
    supportsTopLevelAwait: true,
  });
  if (sourceMapPath) sourceMaps.set(url, sourceMapPath);
  return { format: 'module', source: code, shortCircuit: true };
};

function isSource(url: string): boolean {
  return url.startsWith('file:') && url.endsWith('.ts') && !url.includes('/node_modules/');
}

const handedOver = Symbol.for('invoq.jest-globals');

/** `@jest/globals` for one module. A test file gets the things themselves; a helper, which outlives the file, whatever is the present file's. */
function globalsFor(url: string): string {
  const given = url.endsWith('.test.ts') ? 'own' : 'present';
  Reflect.set(globalThis, handedOver, { own: (name: string) => present?.globals()[name], present: presentOne });
  const names = Object.keys(present?.globals() ?? {});
  return names.map((name) => `export const ${name} = globalThis[Symbol.for('${handedOver.description}')].${given}('${name}');`).join('\n');
}

function presentOne(name: string): object {
  const one = (): object => present?.globals()[name] ?? {};
  return new Proxy(() => undefined, {
    apply: (_, self, args) => Reflect.apply(one() as () => unknown, self, args),
    get: (_, key) => Reflect.get(one(), key),
  });
}
