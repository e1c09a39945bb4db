import type { ConsoleIssuer } from './console-issuer.js';
import { SignInFailure } from './sign-in-fault.js';

/** The issuer of the console, where the settings name one. */
export class OptionalIssuer {
  readonly known: ConsoleIssuer | null;

  constructor(known: ConsoleIssuer | null) {
    this.known = known;
  }

  /** Throws SignInFailure. */
  required(): ConsoleIssuer {
    if (this.known) return this.known;
    throw new SignInFailure('off', 'CONSOLE_OIDC_CLIENT_ID is not set');
  }
}
