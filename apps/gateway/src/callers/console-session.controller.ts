import { Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  consoleHeader,
  consoleSignIn,
  isApiKey,
  Refusal,
  toJsonSchema,
  type Caller,
  type ConsoleSession,
  type ConsoleSignedOut,
  type ConsoleTicket,
} from '#lib/contracts';
import { apiKeyId } from '#lib/platform';
import { placeOf } from '../http/gateway-place.js';
import { readBody } from '../http/read-body.js';
import { Route } from '../http/route.js';
import { callerOf } from '../http/caller-of.js';
import { Authenticator } from './authenticator.js';
import { clearConsoleCookie, hasConsoleHeader, setConsoleCookie } from './console-cookie.js';
import { ConsoleSessions, consoleTicketSeconds } from './console-sessions.js';
import { OptionalIssuer } from './oidc/optional-issuer.js';
import { Stores } from '../stores.js';

const signInSchema = toJsonSchema(consoleSignIn, 'input');

/** Signing in to the console: a key, or the ticket of an address, becomes a cookie that scripts cannot read. */
@Controller('console')
export class ConsoleSessionController {
  constructor(
    private readonly sessions: ConsoleSessions,
    private readonly authenticator: Authenticator,
    private readonly issuer: OptionalIssuer,
    private readonly stores: Stores,
  ) {}

  @Route({
    access: 'open',
    docs: {
      id: 'startConsoleSession',
      summary: 'Sign a browser in to the console, by an API key or by a one-use ticket; the answer sets a cookie',
      tag: 'callers',
      parameters: [['header', consoleHeader, '1, which the pages of the console send.']],
      body: signInSchema,
      status: 201,
    },
  })
  @Post('session')
  async start(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<ConsoleSession> {
    if (!hasConsoleHeader(request))
      throw new Refusal('PERMISSION_DENIED', `Only a page of the console starts a session; it sends the header ${consoleHeader}: 1`);
    const { key, ticket = '' } = readBody(request, consoleSignIn);
    const keyId = key === undefined ? await this.sessions.redeemTicket(ticket) : await this.#keyIdOf(key.trim(), request.ip);
    const { id, caller, times } = await this.sessions.start(keyId);
    setConsoleCookie(request, reply, id);
    return shown(caller, times);
  }

  @Route({
    docs: { id: 'getConsoleSession', summary: 'Whom the credential speaks for, and the session that it belongs to', tag: 'callers' },
  })
  @Get('session')
  async one(@Req() request: FastifyRequest): Promise<ConsoleSession> {
    const caller = callerOf(request);
    return shown(caller, caller.consoleSession === undefined ? null : await this.sessions.timesOf(caller.consoleSession));
  }

  @Route({
    docs: {
      id: 'endConsoleSession',
      summary: 'Sign out: end the session and its streams. 200 with a location where a browser signs out at the issuer too',
      tag: 'callers',
      status: 204,
    },
  })
  @Delete('session')
  @HttpCode(204)
  async end(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<ConsoleSignedOut | undefined> {
    const { consoleSession } = callerOf(request);
    if (consoleSession === undefined) return undefined;
    const idToken = await this.sessions.end(consoleSession);
    clearConsoleCookie(request, reply);
    // The session has ended here, whether or not the issuer answers.
    const location =
      idToken && (await this.issuer.known?.endUrl(idToken, placeOf(request, this.stores.settings.PUBLIC_URL)).catch(() => null));
    if (!location) return undefined;
    void reply.status(200);
    return { location };
  }

  /** For an address that signs in by itself: `/console#ticket=…`. */
  @Route({
    docs: {
      id: 'issueConsoleTicket',
      summary: 'A one-use ticket that signs one browser in to the console as this API key, for a minute',
      tag: 'callers',
      body: { type: 'object' },
      status: 201,
    },
  })
  @Post('tickets')
  async issue(@Req() request: FastifyRequest): Promise<ConsoleTicket> {
    const { credentialId, turnId, actor, consoleSession } = callerOf(request);
    // A session that could start another would have no end.
    if (!isApiKey(credentialId) || turnId !== undefined || actor !== undefined || consoleSession !== undefined)
      throw new Refusal(
        'PERMISSION_DENIED',
        'Only an API key itself gets a ticket for the console; send it in Authorization, without X-User-Id',
      );
    return { ticket: await this.sessions.issueTicket(credentialId), expires_in: consoleTicketSeconds };
  }

  /** Throws UNAUTHORIZED, or RATE_LIMITED for an address that guesses. */
  async #keyIdOf(key: string, address: string): Promise<string> {
    const { credentialId } = await this.authenticator.authenticate({ authorization: `Bearer ${key}` }, address);
    if (apiKeyId(key) === null) throw new Refusal('UNAUTHORIZED', 'Sign in with an API key');
    return credentialId;
  }
}

function shown(
  caller: Caller,
  times: { readonly startedAt: number; readonly idleEndsAt: number; readonly endsAt: number } | null,
): ConsoleSession {
  return {
    tenant_id: caller.tenantId,
    user_id: caller.userId,
    tier: caller.tier,
    scopes: [...caller.scopes],
    credential_id: caller.credentialId,
    session: times && {
      started_at: new Date(times.startedAt).toISOString(),
      idle_ends_at: new Date(times.idleEndsAt).toISOString(),
      ends_at: new Date(times.endsAt).toISOString(),
    },
  };
}
