/** A tool that a worker of a tenant announces. */
export const echoContract = (name: string) => ({
  name,
  version: '1.0.0',
  title: 'Echo',
  description: 'Say what a worker of the tenant says.',
  input: { type: 'object', properties: {}, additionalProperties: false },
  output: { type: 'object', properties: { said: { type: 'string' } }, required: ['said'], additionalProperties: false },
  effect: 'write',
  timeout_ms: 20_000,
  examples: [{ input: {}, output: { said: 'a' } }],
});

/** Announces a tool by a key that may not approve it: the worker waits for an administrator, until `cut`. */
export async function announce({
  url,
  key,
  name,
}: {
  readonly url: string;
  readonly key: string;
  readonly name: string;
}): Promise<Disposable> {
  const cut = new AbortController();
  const response = await fetch(`${url}/workers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ protocol: 1, domain: 'sales', concurrency: 1, tools: [echoContract(name)] }),
    signal: cut.signal,
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return { [Symbol.dispose]: () => cut.abort() };
}
