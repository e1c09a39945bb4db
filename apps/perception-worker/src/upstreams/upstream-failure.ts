import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { Failure } from '#lib/worker';
import { AddressRefused } from './guarded-fetch.js';

/** What a client of an outside server threw, as a failure of its kind; null for what `failureOf` judges better. */
export function upstreamFailure(server: string, error: unknown): Failure | null {
  if (error instanceof Failure) return error;
  const refused = causeOf(error, AddressRefused);
  if (refused) return new Failure('service', `${server} may not be asked: ${refused.message}`, { cause: error });
  const http = causeOf(error, SdkHttpError);
  if (http) return httpFailure(server, http.status ?? 0, { cause: error });
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
      // What lies beneath says it better: a refused or cut connection.
      if (sdk?.cause instanceof Error && !(sdk.cause instanceof SdkError)) return null;
      return new Failure('service', `${server} does not keep to the protocol: ${sdk?.code}`, { cause: error });
  }
}

/** @param from what is known besides the status; `retryAfter` is the header, as it came */
export function httpFailure(
  server: string,
  status: number,
  { cause, retryAfter = null }: { readonly cause?: unknown; readonly retryAfter?: string | null } = {},
): Failure {
  if (status === 429) {
    const seconds = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined;
    return new Failure('rate-limit', `${server} asks to come back later`, {
      cause,
      ...(seconds !== undefined && { hintMs: seconds * 1_000 }),
    });
  }
  // The session of a server that was started anew: the next attempt makes a new one.
  if (status === 404) return new Failure('network', `${server} has forgotten the session`, { cause });
  return new Failure('service', `${server} answered with ${status}`, { cause });
}

function causeOf<Kind extends Error>(error: unknown, kind: abstract new (...args: never[]) => Kind): Kind | null {
  let next = error;
  for (let depth = 0; depth < 8 && next instanceof Error; depth++) {
    if (next instanceof kind) return next;
    next = next.cause;
  }
  return null;
}
