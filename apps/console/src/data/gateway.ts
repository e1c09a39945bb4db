// The one connection of the page to its gateway. The cookie of the session goes with each request; the page itself never sees it.
import { Invoq, Transport } from '#lib/client';
import type { consoleHeader, ProductTools } from '#lib/contracts';
import { heardFetch } from './contact.js';

const header: typeof consoleHeader = 'x-invoq-console';
const options = { url: location.origin, headers: { [header]: '1' }, fetch: inPageLanguage };

/** Headers that show the gateway that a request comes from this page. */
export const pageHeaders: Readonly<Record<string, string>> = options.headers;
export const invoq = new Invoq<ProductTools>(options);
export const gateway = new Transport(options);

/** What is written for people comes in the language of the page, which need not be the browser's. */
function inPageLanguage(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('accept-language', document.documentElement.lang);
  return heardFetch(input, { ...init, headers });
}
