// The one connection of the page to its gateway. The cookie of the session goes with each request; the page itself never sees it.
import { Invoq, Transport } from '#lib/client';
import type { consoleHeader, ProductTools } from '#lib/contracts';
import { heardFetch } from './contact.js';

const header: typeof consoleHeader = 'x-invoq-console';
const options = { url: location.origin, headers: { [header]: '1' }, fetch: heardFetch };

/** Headers that show the gateway that a request comes from this page. */
export const pageHeaders: Readonly<Record<string, string>> = options.headers;
export const invoq = new Invoq<ProductTools>(options);
export const gateway = new Transport(options);
