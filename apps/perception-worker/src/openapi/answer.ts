// What a service answered, as a result or a refusal.
import { isJsonObject, jsonIn } from '#lib/contracts';
import type { OutsideRefusal } from '#lib/contracts';
import { Failure, retryAfterMs } from '#lib/handlers';
import { httpFailure } from '../upstreams/upstream-failure.js';
import { truncateMessage, type UpstreamAnswer } from '../upstreams/upstream.js';
import { isJson } from './body.js';
import { listOf, textOf } from './document.js';

const refusals: Readonly<Record<number, OutsideRefusal>> = {
  400: 'UPSTREAM_INVALID_PARAMS',
  401: 'UPSTREAM_FORBIDDEN',
  403: 'UPSTREAM_FORBIDDEN',
  404: 'UPSTREAM_NOT_FOUND',
  409: 'UPSTREAM_CONFLICT',
  410: 'UPSTREAM_NOT_FOUND',
  412: 'UPSTREAM_CONFLICT',
  413: 'UPSTREAM_INVALID_PARAMS',
  414: 'UPSTREAM_INVALID_PARAMS',
  415: 'UPSTREAM_INVALID_PARAMS',
  422: 'UPSTREAM_INVALID_PARAMS',
  423: 'UPSTREAM_CONFLICT',
};
/** Headers that say what to do next. */
const told = ['location', 'etag', 'x-total-count', 'x-next-page', 'deprecation', 'sunset'];

export interface ReadResponse {
  readonly status: number;
  readonly headers: Headers;
  /** JSON as data, a text as it is, other bytes as a file; undefined for none. */
  readonly body: unknown;
}

export async function readResponse(response: Response): Promise<ReadResponse> {
  const { status, headers } = response;
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status, headers, body: bytes.length === 0 ? undefined : bodyOf(bytes, headers.get('content-type') ?? '') };
}

function bodyOf(bytes: Buffer, contentType: string): unknown {
  const [type = ''] = contentType.split(';', 1);
  if (isJson(type) || type === '') {
    const text = textIn(bytes);
    const data = text === null ? undefined : jsonIn(text);
    if (data !== undefined) return data;
    if (text !== null) return text;
  } else if (/^text\/|[/+](xml|yaml|x-yaml|javascript|x-ndjson|x-www-form-urlencoded)$/i.test(type.trim())) {
    const text = textIn(bytes);
    if (text !== null) return text;
  }
  return { type: 'file', mimeType: type.trim() || 'application/octet-stream', data: bytes.toString('base64') };
}

function textIn(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

interface Asked {
  /** The server, as callers know it. */
  readonly name: string;
  readonly url: URL;
  readonly idempotent: boolean;
}

/** @throws Failure for an answer that says nothing of the call itself: the service has no time, or is broken */
export function answerOf({ status, headers, body }: ReadResponse, asked: Asked): UpstreamAnswer {
  if (status >= 200 && status < 300) return { kind: 'done', data: dataOf({ status, headers, body }, asked) };
  const { name } = asked;
  const retryAfter = headers.get('retry-after');
  if (status === 429 || status === 425) throw httpFailure(name, 429, { retryAfter });
  // GitHub and others refuse by rate with this status.
  if (status === 403 && (retryAfter !== null || headers.get('x-ratelimit-remaining') === '0'))
    throw httpFailure(name, 429, { retryAfter: retryAfter ?? untilReset(headers) });
  const hintMs = retryAfterMs(retryAfter, Date.now());
  if (status === 503 && retryAfter !== null && asked.idempotent)
    throw new Failure('rate-limit', `${name} asks to come back later`, { hintMs });
  if (status === 408 || status === 504)
    throw new Failure('timeout', `${name} answered with ${status}: it had no answer in time`, { hintMs });
  if (status === 502 || status === 503)
    throw new Failure('network', `${name} answered with ${status}: it is not there at the moment`, { hintMs });
  if (status >= 500) throw httpFailure(name, status);
  const message = truncateMessage(`${status} ${wordsOf({ status, headers, body })}`.trim());
  const literal = refusals[status] ?? 'UPSTREAM_REFUSED';
  return { kind: 'refused', invalidParams: literal === 'UPSTREAM_INVALID_PARAMS', literal, message };
}

/** Seconds until the limit ends, where the service says when that is. */
function untilReset(headers: Headers): string | null {
  const reset = Number(headers.get('x-ratelimit-reset'));
  const seconds = Math.ceil(reset - Date.now() / 1_000);
  return Number.isFinite(seconds) && seconds > 0 && seconds < 86_400 ? String(seconds) : null;
}

function dataOf({ status, headers, body }: ReadResponse, { url }: Asked): object {
  const links = linksOf(headers.get('link'), url);
  const said = told.flatMap((name): [string, string][] => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return {
    status,
    ...(body !== undefined && { body }),
    ...(links && { links }),
    ...(said.length > 0 && { headers: Object.fromEntries(said) }),
  };
}

/** The addresses of a header Link by their relation (RFC 8288), such as `next`. */
export function linksOf(header: string | null, base: URL): Readonly<Record<string, string>> | null {
  const found = [...(header ?? '').slice(0, 16_384).matchAll(/<([^<>]*)>([^<]*)/g)].flatMap(([, address = '', parameters = '']) => {
    const relation = /;\s*rel\s*=\s*"?([^";,]+)"?/i.exec(parameters)?.[1]?.trim();
    const url = URL.parse(address, base.href);
    return relation && url ? relation.split(/\s+/).map((one): [string, string] => [one, url.href]) : [];
  });
  return found.length > 0 ? Object.fromEntries(found) : null;
}

const fields = ['detail', 'message', 'error_description', 'error_message', 'title', 'error', 'errors', 'reason', 'description'];

/** What a service says of its refusal, in its own words, wherever it says them. */
function wordsOf({ status, headers, body }: ReadResponse): string {
  if (status >= 300 && status < 400) return `it redirects to ${headers.get('location') ?? 'nowhere'}, which is not followed`;
  const found = wordsIn(body, 0);
  if (found !== null) return found;
  return body === undefined ? 'without a word' : JSON.stringify(body);
}

function wordsIn(value: unknown, level: number): string | null {
  if (typeof value === 'string') return value.trim() || null;
  if (level > 3) return null;
  if (Array.isArray(value)) {
    const words = listOf(value)
      .slice(0, 5)
      .flatMap((one) => wordsIn(one, level + 1) ?? []);
    return words.length > 0 ? words.join('; ') : null;
  }
  if (!isJsonObject(value) || value['type'] === 'file') return null;
  const [found] = fields.flatMap((name) => wordsIn(value[name], level + 1) ?? []);
  const errors = listOf(value['errors']);
  // What is wrong with the fields says more than that something is.
  return found !== undefined && errors.length > 0 && textOf(value['message']) ? `${found}: ${JSON.stringify(errors)}` : (found ?? null);
}
