import { AddressRefused, boundedResponse, urlViolation, type AddressRules } from '#lib/platform';

/** Of one request to a provider, its answer included. A lease outlives it. */
const requestMs = 10_000;
const maxAnswerBytes = 262_144;

/** What the library asks for. */
interface ProviderRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | URLSearchParams | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type ProviderFetch = (url: string, request: ProviderRequest) => Promise<Response>;

/**
 * The only way in which addresses of providers are requested: they obey the rules, and so does what their names resolve to at the moment of
 * connecting. Follows no redirect: a secret goes where it was meant to, or nowhere.
 */
export function providerFetch(rules: AddressRules): ProviderFetch {
  let loaded: ReturnType<typeof load> | null = null;
  return async (address, { method, headers, body, signal }) => {
    const url = new URL(address);
    const fault = urlViolation(url, rules);
    if (fault !== null) throw new AddressRefused(fault);
    const send = await (loaded ??= load(rules));
    const limit = AbortSignal.timeout(requestMs);
    const response = await send(url, {
      method,
      headers,
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      ...(body !== undefined && { body: String(body) }),
    });
    const { status, statusText } = response;
    const shown = [...response.headers].filter(([name]) => name !== 'content-encoding' && name !== 'content-length');
    const bodyless = status === 204 || status === 205 || status === 304;
    return boundedResponse(new Response(bodyless ? null : response.body, { status, statusText, headers: shown }), maxAnswerBytes);
  };
}

async function load(rules: AddressRules) {
  return (await import('./provider-agent.js')).providerAgent(rules, 2 * maxAnswerBytes);
}
