// The HTTP client of the stripe package: one bounded request, without retries. The package's own clients retry once after a closed
// connection even with retries disabled, do not limit the size of answers, and do not know abort signals.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Failure, type ToolContext } from '#lib/handlers';
import type Stripe from 'stripe';
import { endpointOf, redactAnswer } from './redact-answer.js';
import { isJsonObject } from '#lib/contracts';

/** Answers of the three endpoints have a few kB. */
const maxBytes = 1024 * 1024;
/** The headers that are used. Others, such as notices of Stripe, would only end up in logs. */
const keptHeaders = ['request-id', 'retry-after', 'stripe-should-retry'] as const;

/** The attempt to which a request belongs. The package has no parameter for it. */
export const requestContext = new AsyncLocalStorage<Pick<ToolContext, 'signal' | 'recordUpstreamAnswer'>>();

type Client = NonNullable<NonNullable<ConstructorParameters<typeof Stripe>[1]>['httpClient']>;
type Sent = Parameters<Client['makeRequest']>;

export const httpClient: Client = {
  getClientName: () => 'invoq',
  makeRequest: async (...[host, port, path, method, headers, body, protocol]: Sent) => {
    const url = `${protocol}://${host}:${port}${path}`;
    try {
      const response = await fetch(url, {
        method,
        headers: Object.entries(headers)
          .filter(([name]) => name !== 'Content-Length')
          .map(([name, value]): [string, string] => [name, String(value)]),
        ...(method === 'POST' && { body }),
        redirect: 'manual',
        signal: requestContext.getStore()?.signal ?? null,
      });
      const json = parseObject(await textOf(response));
      requestContext
        .getStore()
        ?.recordUpstreamAnswer({ api: `${method} ${endpointOf(path)}`, status: response.status, body: redactAnswer(json) });
      return toClientResponse(response, json);
    } catch {
      // All of these mean: no answer. The causes contain addresses, so they are not passed on.
      throw new Failure('network', 'no whole answer from Stripe');
    }
  },
};

function toClientResponse(response: Response, json: object): Awaited<ReturnType<Client['makeRequest']>> {
  return {
    getStatusCode: () => response.status,
    getHeaders: () =>
      Object.fromEntries(
        keptHeaders.flatMap((name) => {
          const value = response.headers.get(name);
          return value === null ? [] : [[name, value]];
        }),
      ),
    getRawResponse: () => ({}),
    toStream: () => null,
    toJSON: async () => json,
  };
}

/** The decompressed body as text; empty if it is larger than any regular answer. */
async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return '';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Anything but a JSON object becomes an error object of Stripe's form, so that its status and headers are still used. */
function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Not JSON.
  }
  return { error: { type: 'api_error' } };
}
