// First import of the render process: whatever a library might try, there is nothing here to reach anyone with.
import { registerHooks } from 'node:module';

const closed = new Set([
  'net',
  'tls',
  'http',
  'https',
  'http2',
  'dgram',
  'dns',
  'dns/promises',
  'child_process',
  'cluster',
  'worker_threads',
  'inspector',
]);

registerHooks({
  resolve(specifier, context, next) {
    if (closed.has(specifier.replace(/^node:/, ''))) throw new Error(`A report needs no ${specifier}`);
    return next(specifier, context);
  },
});

for (const name of ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']) Reflect.deleteProperty(globalThis, name);
