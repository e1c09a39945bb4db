import {
  AuthorizationResponseError,
  OperationProcessingError,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import { AddressRefused } from '#lib/platform';

/**
 * `over`: what the user has granted is over. `refused`: the provider refuses our client, or what it was asked. `away`: it does not answer, or
 * not now. `unreadable`: it answers what the standards do not know.
 */
export type ProviderFaultKind = 'over' | 'refused' | 'away' | 'unreadable';

/** What is wrong with a provider. Its message has nothing that the provider has written but a code of the standards. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  readonly kind: ProviderFaultKind;

  constructor(kind: ProviderFaultKind, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.kind = kind;
  }
}

/** Error codes of OAuth: small letters and underscores. Others are not repeated. */
function codeOf(error: string): string {
  return /^[a-z_]{1,40}$/.test(error) ? error : 'an unknown error';
}

/** Any error of a request to a provider. @param what it was asked for, such as `the tokens` */
export function providerFault(error: unknown, what: string): ProviderFault {
  if (error instanceof ProviderFault) return error;
  if (error instanceof AuthorizationResponseError) return new ProviderFault('refused', `it answers ${codeOf(error.error)}`);
  if (error instanceof ResponseBodyError) {
    const code = codeOf(error.error);
    if (error.status === 429 || error.status >= 500 || code === 'temporarily_unavailable' || code === 'server_error')
      return new ProviderFault('away', `it cannot give ${what} now: ${code}`);
    return new ProviderFault(code === 'invalid_grant' ? 'over' : 'refused', `it refuses ${what}: ${code}`);
  }
  if (error instanceof WWWAuthenticateChallengeError) return new ProviderFault('refused', `it refuses ${what} with ${error.status}`);
  if (error instanceof OperationProcessingError || error instanceof UnsupportedOperationError) {
    const inner = error.cause;
    const status = inner instanceof Response ? inner.status : undefined;
    if (status !== undefined && (status === 429 || status >= 500)) return new ProviderFault('away', `it answers ${status} for ${what}`);
    return new ProviderFault('unreadable', `its answer for ${what} is none of the standards (${codeOfLibrary(error)})`);
  }
  const refused = causes(error).find((cause) => cause instanceof AddressRefused);
  if (refused) return new ProviderFault('refused', refused.message);
  const isLate = causes(error).some((cause) => cause.name === 'TimeoutError');
  return new ProviderFault('away', isLate ? `it gives no answer for ${what} in time` : `it cannot be reached for ${what}`, {
    cause: error,
  });
}

function codeOfLibrary({ code }: { readonly code?: string | undefined }): string {
  return code?.replace(/^OAUTH_/, '').toLowerCase() ?? 'unknown';
}

function causes(error: unknown): readonly Error[] {
  const found: Error[] = [];
  for (let cause = error; cause instanceof Error && found.length < 5; cause = cause.cause) found.push(cause);
  return found;
}
