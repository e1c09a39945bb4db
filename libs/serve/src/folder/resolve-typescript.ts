// Node runs TypeScript, but looks for the very file that an import names. People, editors and tsc write `./helper` and `./helper.js` for a file
// of that name that ends in .ts.
import * as modules from 'node:module';

const ownImport = /^\.{1,2}\//;
const extensions: Readonly<Record<string, string>> = { '.js': '.ts', '.mjs': '.mts', '.cjs': '.cts' };
const missing = new Set(['ERR_MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT']);

let isRegistered = false;

/** From now on an import between the user's own files finds the TypeScript file that it means. Does nothing on a Node that runs none. */
export function resolveTypeScript(): void {
  // Absent before Node 22.15.
  if (isRegistered || typeof modules.registerHooks !== 'function') return;
  isRegistered = true;
  modules.registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        const isOwn = ownImport.test(specifier) && !context.parentURL?.includes('/node_modules/');
        if (!isOwn || !(error instanceof Error && 'code' in error && missing.has(String(error.code)))) throw error;
        for (const meant of meanings(specifier)) {
          try {
            return next(meant, context);
          } catch {
            // The next one, or the error that names what was written.
          }
        }
        throw error;
      }
    },
  });
}

/** The files that an import may mean, the likeliest first. */
function meanings(specifier: string): readonly string[] {
  const [extension = ''] = /\.[cm]?js$/.exec(specifier) ?? [];
  if (extension !== '') return [`${specifier.slice(0, -extension.length)}${extensions[extension]}`];
  return ['.ts', '.mts', '.js', '.mjs', '/index.ts', '/index.js'].map((end) => `${specifier.replace(/\/$/, '')}${end}`);
}
