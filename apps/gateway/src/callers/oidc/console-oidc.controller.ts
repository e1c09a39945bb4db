import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleIssuerShown, SignInFault } from '#lib/contracts';
import { placeOf } from '../../http/gateway-place.js';
import { queryOf } from '../../http/query.js';
import { Route } from '../../http/route.js';
import { Stores } from '../../stores.js';
import { setConsoleCookie } from '../console-cookie.js';
import { ConsoleSessions } from '../console-sessions.js';
import { AttemptCookie, newAttempt } from './attempt-cookie.js';
import { OptionalIssuer } from './optional-issuer.js';
import { screenAddress } from './screen-address.js';
import { failureOf, SignInFailure } from './sign-in-fault.js';

/** Signing in to the console at the issuer of tokens: the browser goes there, and comes back with a code that is good for once. */
@Controller('console/oidc')
export class ConsoleOidcController {
  readonly #attempts: AttemptCookie;

  constructor(
    private readonly issuer: OptionalIssuer,
    private readonly sessions: ConsoleSessions,
    private readonly stores: Stores,
  ) {
    this.#attempts = new AttemptCookie(stores.sealer);
  }

  @Route({
    access: 'open',
    docs: { id: 'getConsoleIssuer', summary: 'The issuer by which people sign in to the console, if there is one', tag: 'callers' },
  })
  @Get()
  one(): ConsoleIssuerShown {
    const { known } = this.issuer;
    return {
      issuer: known && {
        host: new URL(known.issuer).host,
        user_claim: known.paths.user,
        tenant_claims: [...known.paths.tenant],
      },
    };
  }

  @Route({
    access: 'open',
    points: 5,
    docs: {
      id: 'beginConsoleSignIn',
      summary: 'Send a browser to the issuer, to sign in to the console',
      tag: 'callers',
      parameters: [['query', 'to', 'The screen to go on with, such as /calls; the start of the console where it is none.']],
      media: 'text/html',
      status: 303,
    },
  })
  @Get('begin')
  async begin(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const attempt = newAttempt(screenAddress(queryOf(request)['to']));
    try {
      const url = await this.issuer.required().authorizationUrl(attempt, this.#redirectUri(request));
      this.#attempts.keep(request, reply, attempt);
      send(reply, url);
    } catch (error) {
      this.#fail(reply, error);
    }
  }

  @Route({
    access: 'open',
    points: 5,
    docs: {
      id: 'endConsoleSignIn',
      summary: 'Where the issuer sends a browser back to; the answer sets the cookie of the console',
      tag: 'callers',
      parameters: [
        ['query', 'state', 'As the issuer got it.'],
        ['query', 'code', 'What the ID token is for.'],
        ['query', 'iss', 'Who the issuer says it is (RFC 9207).'],
        ['query', 'error', 'Why there is no code.'],
      ],
      media: 'text/html',
      status: 303,
    },
  })
  @Get('callback')
  async comeBack(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    try {
      const attempt = this.#attempts.take(request, reply);
      if (!attempt) throw new SignInFailure('expired', 'no sign-in is under way in this browser');
      const redirectUri = this.#redirectUri(request);
      // As it came: a parameter that is given twice is refused by what reads it.
      const answer = new URL(request.raw.url ?? '', redirectUri).searchParams;
      const { user, idToken } = await this.issuer.required().userOf(answer, attempt, redirectUri);
      const { id } = await this.sessions.startFor(user, idToken);
      setConsoleCookie(request, reply, id);
      send(reply, attempt.to);
    } catch (error) {
      this.#fail(reply, error);
    }
  }

  #redirectUri(request: FastifyRequest): string {
    return `${placeOf(request, this.stores.settings.PUBLIC_URL)}/console/oidc/callback`;
  }

  /** Back to the page on which one signs in, which says what went wrong, in the language of its reader. */
  #fail(reply: FastifyReply, error: unknown): void {
    const { fault, message } = failureOf(error);
    this.stores.log.warn({ event: 'console-sign-in-failed', fault, reason: message }, 'a sign-in to the console by the issuer has failed');
    send(reply, `/console#sign_in_fault=${fault satisfies SignInFault}`);
  }
}

/** Nobody keeps the answer, and no page learns the address that it came from. */
function send(reply: FastifyReply, location: string): void {
  void reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(location, 303);
}
