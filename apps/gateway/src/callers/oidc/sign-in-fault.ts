import * as oauth from 'oauth4webapi';
import type { SignInFault } from '#lib/contracts';

/** Why a sign-in by the issuer came to nothing. The message is for the log: it has no secret, and is shown to nobody. */
export class SignInFailure extends Error {
  readonly fault: SignInFault;

  constructor(fault: SignInFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

/** What went wrong while the issuer was asked. */
export function failureOf(error: unknown): SignInFailure {
  if (error instanceof SignInFailure) return error;
  if (error instanceof oauth.AuthorizationResponseError)
    return error.error === 'access_denied'
      ? new SignInFailure('denied', 'the user, or the issuer, said no', error)
      : new SignInFailure('issuer', `the issuer answered ${error.error}`, error);
  if (error instanceof oauth.ResponseBodyError)
    // The code was used before, or is too old.
    return error.error === 'invalid_grant'
      ? new SignInFailure('expired', 'the issuer takes the code no more (invalid_grant)', error)
      : new SignInFailure('issuer', `the issuer gave no token: ${error.error}`, error);
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    if (error.code === oauth.JWT_TIMESTAMP_CHECK)
      return new SignInFailure('clock', `a time in the ID token is not now: ${error.message}`, error);
    return new SignInFailure('issuer', `the answer of the issuer is not accepted: ${error.message}`, error);
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError)
    return new SignInFailure('issuer', 'the issuer does not know this client, or its secret', error);
  return new SignInFailure('unreachable', `no answer: ${error instanceof Error ? error.message : String(error)}`, error);
}
