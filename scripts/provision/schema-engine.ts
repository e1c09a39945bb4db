// Prisma's schema engine as WebAssembly, over the ordinary pg driver: compares a database with the schema, with no downloaded
// binary.
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as runtime from '@prisma/schema-engine-wasm/schema_engine_bg';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Pool } from 'pg';
import { printError, root } from '#lib/command-line';
import { SchemaAdapter } from './schema-adapter.js';

/** The part that is used here: the types of Node do not declare WebAssembly. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, object>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
};

const schemaDir = join(root, 'prisma/schema');
let loaded = false;

/** The SQL that turns the given database into one of the present schema; empty when it already is. */
export async function differenceToSchema(url: string): Promise<string> {
  load();
  const files = schemaFiles();
  const pool = new Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 5_000 });
  pool.on('error', () => undefined);
  try {
    const factory = bindMigrationAwareSqlAdapterFactory(new SchemaAdapter(pool));
    const datamodels = files.map(({ path, content }): [string, string] => [path, content]);
    using engine = await runtime.SchemaEngine.new({ datamodels }, () => undefined, factory);
    const { stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: root },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    return !stdout || /^-- This is an empty migration/m.test(stdout) ? '' : stdout.trim();
  } finally {
    await pool.end();
  }
}

function schemaFiles(): { path: string; content: string }[] {
  return readdirSync(schemaDir)
    .filter((name) => name.endsWith('.prisma'))
    .sort()
    .map((name) => ({ path: join(schemaDir, name), content: readFileSync(join(schemaDir, name), 'utf8') }));
}

/** The package's own entry imports the .wasm file as a module, which is experimental in Node and unknown to jest. */
function load(): void {
  if (loaded) return;
  const file = createRequire(import.meta.url)
    .resolve('@prisma/schema-engine-wasm/schema_engine_bg')
    .replace(/\.js$/, '.wasm');
  const instance = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)), { './schema_engine_bg.js': runtime });
  runtime.__wbg_set_wasm(instance.exports);
  const begin = instance.exports['__wbindgen_start'];
  if (typeof begin !== 'function') throw new Error('the schema engine has no start function; was @prisma/schema-engine-wasm updated?');
  // The engine calls this with its message before it crashes.
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: printError } });
  begin();
  loaded = true;
}
