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

/** Removes everything by which a library that is loaded from now on could reach the network or start a process. */
export function closeNetwork(): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (closed.has(specifier.replace(/^node:/, ''))) throw new Error(`Work on a text needs no ${specifier}`);
      return next(specifier, context);
    },
  });
  for (const name of ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']) Reflect.deleteProperty(globalThis, name);
}
