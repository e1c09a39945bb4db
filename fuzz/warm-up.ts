import type { Inventory } from './requests/inventory.js';

const mostMs = 5_000;
const atOnce = 4;

/**
 * Asks every gateway and every worker for something harmless, a few at once. What is loaded or made at its first use then is no fault of
 * the case that comes first.
 */
export async function warmUp(urls: readonly string[], key: string, { operations, tools }: Inventory): Promise<void> {
  const send = async (url: string, { method = 'GET', body }: { readonly method?: string; readonly body?: object } = {}): Promise<void> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const signal = AbortSignal.timeout(mostMs);
    // The feed of calls never ends; what else fails here is found by the cases.
    const response = await fetch(url, { method, headers, signal, ...(body && { body: JSON.stringify(body) }) }).catch(() => null);
    const isEndless = method === 'GET' && response?.headers.get('content-type')?.startsWith('text/event-stream');
    await (isEndless ? response?.body?.cancel() : response?.text())?.catch(() => undefined);
  };
  const pages = operations.filter(({ method, path }) => method === 'GET' && !path.includes('{')).map(({ path }) => path);
  const list = { method: 'POST', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } };
  const asked = urls.flatMap((url) => [
    ...[...pages, '/no-such-page'].map((path) => async () => send(url + path)),
    async () => send(`${url}/mcp`, list),
  ]);
  const called = tools.map(
    ({ name, examples }) =>
      async () =>
        send(`${urls[0]}/tools/${name}`, { method: 'POST', body: examples[0] ?? {} }),
  );
  const queue = [...asked, ...called];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = queue.shift(); next; next = queue.shift()) await next();
    }),
  );
}
