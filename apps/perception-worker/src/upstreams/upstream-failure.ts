import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { AddressRefused, AnswerTooLarge } from '#lib/platform';
import { Failure, retryAfterMs } from '#lib/handlers';
import { AccountRefused } from './server-account.js';
import { CommandEnded } from './command-ended.js';
import { UnusableDocument } from '../openapi/document.js';
import { speaksOfSession } from './session-words.js';
import { WrongAddress } from './what-stands-there.js';

/** Translates an error of a client into a Failure. Null if the general rules for errors judge its cause better. */
export function upstreamFailure(server: string, error: unknown): Failure | null {
  const known = causeOf(error, Failure);
  if (known) return known;
  const refused = causeOf(error, AddressRefused);
  if (refused) return new Failure('service', `${server} may not be asked: ${refused.message}`, { cause: error });
  const tooLarge = causeOf(error, AnswerTooLarge);
  if (tooLarge) return new Failure('service', `${server} answered too much: ${tooLarge.message}`, { cause: error });
  if (saysUnknownSession(error)) return new Failure('network', `${server} has forgotten the session`, { cause: error });
  const ended = causeOf(error, CommandEnded);
  if (ended) return new Failure('network', `${server} ${ended.message}`, { cause: error });
  const wrong = causeOf(error, WrongAddress);
  if (wrong) return new Failure('service', wrong.message, { cause: error });
  const http = causeOf(error, SdkHttpError);
  if (http) return httpFailure(server, http.status, { cause: error });
  const sdk = causeOf(error, SdkError);
  switch (sdk?.code) {
    case SdkErrorCode.RequestTimeout:
      return new Failure('timeout', `${server} gave no answer in time`, { cause: error });
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.SendFailed:
      return new Failure('network', `the connection to ${server} was lost`, { cause: error });
    case undefined:
      return null;
    default:
      // The cause says more, such as a refused connection.
      if (sdk?.cause instanceof Error && !(sdk.cause instanceof SdkError)) return null;
      return new Failure('service', `${server} does not keep to the protocol: ${sdk?.code}`, { cause: error });
  }
}

/** The failure of an answer that is no HTTP, no JSON, or not what the protocol or the tool's definition says. */
export function unreadable(server: string, cause: unknown): Failure {
  return new Failure('service', `${server} answered what cannot be read`, { cause });
}

/** Codes by which servers refuse a message before they look at what it asks for. */
const refusalCodes: readonly number[] = [-32_000, -32_001, -32_600];
/** The code of a message whose parameters are wrong: some servers have it for one that came before their greeting. */
const wrongParameters = -32_602;

/**
 * Whether a server refused a message because it does not know the session any more, in whatever words: the standard has a status for it,
 * and many servers have their own. Such a message was not acted on.
 */
export function saysUnknownSession(error: unknown): boolean {
  const http = causeOf(error, SdkHttpError);
  if (http?.status === 404 || http?.status === 410) return true;
  if (http && http.status >= 400 && http.status < 500) return speaksOfSession(`${http.message} ${JSON.stringify(http.data['text'])}`);
  const protocol = causeOf(error, ProtocolError);
  if (protocol?.code === wrongParameters) return /before initialization/i.test(protocol.message);
  return protocol !== null && refusalCodes.includes(protocol.code) && speaksOfSession(protocol.message);
}

/** Codes of a connection that was never made. */
const unconnectedCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Whether a call that failed like this was not run: refused by rate or for its account, sent to a forgotten session, or to a server that was not reached. */
export function cannotHaveRun(error: unknown): boolean {
  if (saysUnknownSession(error) || causeOf(error, Failure)?.kind === 'rate-limit' || causeOf(error, AccountRefused)) return true;
  // A message that the client could not hand over.
  if (causeOf(error, SdkError)?.code === SdkErrorCode.NotConnected) return true;
  return cannotBeReached(error);
}

/** Whether no connection was made at all. */
export function cannotBeReached(error: unknown): boolean {
  return unconnectedCodes.has(codeOf(error) ?? '');
}

/** Explains to an administrator why a server could not be registered, and what to check. */
export function describeUnusable(address: string, error: unknown): string {
  const wrong = causeOf(error, WrongAddress);
  if (wrong) return wrong.message;
  const document = causeOf(error, UnusableDocument);
  if (document) return document.message;
  const status = causeOf(error, SdkHttpError)?.status;
  if (status === 404 || status === 405) return `${address} answered with ${status}: is the path right? Servers of MCP often stand at /mcp`;
  if (status === 401 || status === 403)
    return `${address} answered with ${status}: it may want a credential in 'headers', or accounts of its callers by 'connection'`;
  if (status !== undefined) return `${address} answered with ${status}`;
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return `${address} refuses connections: is the server running, and is this its port?`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `${address} cannot be found: there is no such host`;
  const failure = upstreamFailure(address, error);
  if (failure) return failure.message;
  return `${address} could not be asked${code ? ` (${code})` : ''}`;
}

/** The system's error code, such as ECONNREFUSED, not that of the protocol client. */
function codeOf(error: unknown): string | null {
  let next = error;
  for (let depth = 0; depth < 8 && typeof next === 'object' && next !== null; depth++) {
    if (!(next instanceof SdkError) && 'code' in next && typeof next.code === 'string' && /^E[A-Z_]+$/.test(next.code)) return next.code;
    next = 'cause' in next ? next.cause : null;
  }
  return null;
}

/** The Failure for an HTTP status. @param from further facts; `retryAfter` is the value of the header, unparsed */
export function httpFailure(
  server: string,
  status: number,
  { cause, retryAfter = null }: { readonly cause?: unknown; readonly retryAfter?: string | null } = {},
): Failure {
  if (status === 429)
    return new Failure('rate-limit', `${server} asks to come back later`, { cause, hintMs: retryAfterMs(retryAfter, Date.now()) });
  return new Failure('service', `${server} answered with ${status}`, { cause });
}

/** The error of this kind among an error and its causes. */
export function causeOf<Kind extends Error>(error: unknown, kind: abstract new (...args: never[]) => Kind): Kind | null {
  let next = error;
  for (let depth = 0; depth < 8 && next instanceof Error; depth++) {
    if (next instanceof kind) return next;
    next = next.cause;
  }
  return null;
}
