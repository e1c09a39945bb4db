// The only way in which this worker requests outside servers. It checks every URL, those of redirects included, and what a name resolves
// to at the moment of connecting. It also bounds the size of answers.
import { Agent, fetch as send } from 'undici';
import { scopesWanted } from '#lib/accounts';
import { AddressRefused, boundedResponse, lookupPublicOnly, urlViolation, type AddressRules } from '#lib/platform';
import { eventLines } from './event-lines.js';
import { ScopesWanted, type ServerAccount } from './server-account.js';

interface GuardedInit extends RequestInit {
  /** Headers of this request that go to the origin of the server alone, not where it redirects to. */
  readonly homeHeaders?: Readonly<Record<string, string>>;
}
export type GuardedFetch = (url: string | URL, init?: GuardedInit) => Promise<Response>;

/** @limit outside servers: redirects of a request; EXECUTION_ERROR */
const maxRedirects = 3;
const connectMs = 5_000;
/** The tracing of the process adds these to each request. A second value in one header is not valid (W3C Trace Context). */
const traceHeaders = ['traceparent', 'tracestate'];
/**
 * Answers are cut off at this size, counted after decompression: reading further fails with AnswerTooLarge. Pictures are large.
 * @limit outside servers: bytes of an answer; EXECUTION_ERROR
 */
export const maxAnswerBytes = 16 * 1024 * 1024;

/**
 * A fetch that obeys the rules. Follows up to three redirects, keeping method and body for 307 and 308.
 * @param headers sent to the origin of `home` only
 * @param account whose token is sent there too, and nowhere else; a 401 throws AccountRefused, and a 403 for want of rights ScopesWanted
 */
export function guardedFetch(
  rules: AddressRules,
  {
    home,
    headers,
    account = null,
  }: { readonly home: URL; readonly headers: Readonly<Record<string, string>>; readonly account?: ServerAccount | null },
): GuardedFetch {
  const connect = { timeout: connectMs, ...(!rules.allowPrivate && { lookup: lookupPublicOnly }) };
  // Bytes on the wire. A compressed answer without end may decode to nothing, so that the other bound is never reached.
  const answers = new Agent({ maxResponseSize: 2 * maxAnswerBytes, connect });
  // What a server has to say between calls has no end, and pauses.
  const listening = new Agent({ bodyTimeout: 0, connect });
  return async (address, init = {}) => {
    let url = new URL(address);
    const method = init.method ?? 'GET';
    const listens = method === 'GET' && new Headers(init.headers).get('accept') === 'text/event-stream';
    for (let hop = 0; hop <= maxRedirects; hop++) {
      const fault = urlViolation(url, rules);
      if (fault) throw new AddressRefused(hop === 0 ? fault : `it redirects where it may not: ${fault}`);
      const isHome = url.origin === home.origin;
      const used = isHome && account ? account.current : null;
      const own = isHome ? { ...headers, ...init.homeHeaders } : {};
      const response = await send(url, {
        method,
        headers: headersOf(init.headers, used ? { ...own, [used.header.name]: used.header.value } : own),
        redirect: 'manual',
        dispatcher: listens ? listening : answers,
        ...((typeof init.body === 'string' || init.body instanceof Uint8Array) && { body: init.body }),
        ...(init.signal && { signal: init.signal }),
      });
      if (used && account && response.status === 401) {
        await response.body?.cancel();
        throw account.refused(used);
      }
      const wanted = used && scopesWanted(response.status, response.headers.get('www-authenticate'));
      if (used && wanted) {
        await response.body?.cancel();
        throw new ScopesWanted(used.token, wanted);
      }
      const location = response.headers.get('location');
      const mayFollow =
        response.status === 307 || response.status === 308 || (method === 'GET' && response.status >= 301 && response.status <= 303);
      if (!location || !mayFollow) return readable(toResponse(response), listens);
      await response.body?.cancel();
      url = new URL(location, url);
    }
    throw new AddressRefused(`it redirects more than ${maxRedirects} times`);
  };
}

/** An event stream without end is bounded by event. */
function readable(response: Response, listens: boolean): Response {
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
  const bounded = isStream && listens ? response : boundedResponse(response, maxAnswerBytes);
  if (!isStream || !bounded.body) return bounded;
  const { status, statusText, headers } = bounded;
  return new Response(bounded.body.pipeThrough(eventLines(maxAnswerBytes)), { status, statusText, headers });
}

/** The headers of a request: its own, then those of its server in their place, without those of the trace. */
function headersOf(given: RequestInit['headers'], own: Readonly<Record<string, string>>): Record<string, string> {
  const headers = new Headers(given);
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  for (const name of traceHeaders) headers.delete(name);
  return Object.fromEntries(headers);
}

/** The standard Response. 204, 205 and 304 must be made without a body. */
function toResponse(response: Awaited<ReturnType<typeof send>>): Response {
  const { status, statusText } = response;
  const headers = [...response.headers].filter(([name]) => name !== 'content-encoding' && name !== 'content-length');
  return new Response(status === 204 || status === 205 || status === 304 ? null : response.body, { status, statusText, headers });
}
