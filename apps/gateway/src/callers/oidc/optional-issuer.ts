import { Injectable } from '@nestjs/common';
import { ConsoleIssuer } from './console-issuer.js';
import { SignInFailure } from './sign-in-fault.js';
import { Stores } from '../../stores.js';

/** The issuer of the console, where the settings name one. */
@Injectable()
export class OptionalIssuer {
  readonly known: ConsoleIssuer | null;

  constructor({ settings }: Stores) {
    this.known = ConsoleIssuer.of(settings);
  }

  /** Throws SignInFailure. */
  required(): ConsoleIssuer {
    if (this.known) return this.known;
    throw new SignInFailure('off', 'CONSOLE_OIDC_CLIENT_ID is not set');
  }
}
