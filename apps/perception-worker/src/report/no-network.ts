// The first import of the render process: removes everything by which a library could reach the network or start a process.
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
