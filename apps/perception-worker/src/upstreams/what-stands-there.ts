import type { GuardedFetch } from './guarded-fetch.js';

/** What an address is, where it is no server of MCP as it is today. */
type Other = 'sse' | 'openapi' | 'page' | 'json';

/** So much of an answer says what it is. */
const readBytes = 4_096;

const advice: Readonly<Record<Exclude<Other, 'sse'>, string>> = {
  openapi: 'is an OpenAPI document: register it with "kind": "openapi", or give the address of a server of MCP',
  page: 'is a web page and no server of MCP; its documentation names the address, which often ends in /mcp',
  json: 'answers with JSON, but not in the Model Context Protocol; servers of MCP often stand at /mcp',
};

/** Something else stands at an address. The message says what, and what would be right. */
export class WrongAddress extends Error {
  override readonly name = 'WrongAddress';

  constructor(address: string, what: Exclude<Other, 'sse'>, options: ErrorOptions) {
    super(`${address} ${advice[what]}`, options);
  }
}

/** Asks once what is there, as a browser would. Null where that says nothing. */
export async function whatStandsThere(url: URL, fetch: GuardedFetch, signal: AbortSignal): Promise<Other | null> {
  const leaving = new AbortController();
  try {
    const headers = { accept: 'text/event-stream, application/json, text/html, */*' };
    const response = await fetch(url, { headers, signal: AbortSignal.any([signal, leaving.signal]) });
    if (!response.ok) return null;
    const type = response.headers.get('content-type') ?? '';
    if (type.includes('text/event-stream')) return 'sse';
    const text = await beginning(response);
    if (/"?(openapi|swagger)"?\s*:\s*["']?\d/.test(text)) return 'openapi';
    if (type.includes('html') || /^\s*<(!doctype html|html)/i.test(text)) return 'page';
    return type.includes('json') ? 'json' : null;
  } catch {
    return null;
  } finally {
    leaving.abort();
  }
}

async function beginning(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= readBytes) break;
  }
  return text;
}
