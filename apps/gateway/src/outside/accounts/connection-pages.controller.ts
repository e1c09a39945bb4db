import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { clientMetadata, titleOf } from '#lib/accounts';
import { Refusal } from '#lib/contracts';
import { readBody } from '../../http/read-body.js';
import { Route, type RouteParameter } from '../../http/route.js';
import { Stores } from '../../stores.js';
import { browserOf, keepBrowser } from './browser-cookie.js';
import { Connecting, type Connected } from './connecting.js';
import { faultPage, page, unkept } from './send-page.js';
import { placeOf } from '../../http/gateway-place.js';
import { clientDocumentOf, redirectUriOf } from './gateway-place.js';
import { withOutcome } from './return-address.js';

const maxBodyBytes = 16_384;
const token: RouteParameter = ['path', 'token', 'From the url of POST /connections.'];
const pastedKey = z.strictObject({ api_key: z.string().regex(/^[\x21-\x7e]{1,4096}$/, 'must be one line of ASCII without blanks') });

const over = 'This address was used, or its ten minutes are over. Begin anew.';
const notHere = 'Nobody has begun this in this browser, or it is over. Begin anew, and finish in the same browser.';

/** Where the browsers of users come by on their way to a provider and back. Addresses are the credentials: secret, for one attempt. */
@Controller('connections')
export class ConnectionPagesController {
  constructor(
    private readonly connecting: Connecting,
    private readonly stores: Stores,
  ) {}

  @Route({
    access: 'link',
    points: 5,
    docs: {
      id: 'goToProvider',
      summary: 'Send a browser on to the provider, or show where a key is pasted',
      tag: 'accounts',
      parameters: [token],
      media: 'text/html',
    },
  })
  @Get('begin/:token')
  async begin(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('token') given: string): Promise<void> {
    const attempt = await this.connecting.attempt(given);
    if (!attempt) return faultPage(request, reply, new Refusal('EXPIRED', over));
    const { row, provider } = attempt;
    const title = titleOf(provider);
    if (!provider.server) {
      const { instructions } = provider.config.api_key ?? {};
      return page(reply, 200, {
        title: `Connect ${title}`,
        lines: [
          `The key is kept for ${row.owner}, and sealed. Nobody sees it again.`,
          ...(instructions === undefined ? [] : [instructions]),
        ],
        form: { button: 'Connect', keyLabel: `Key of your ${title} account` },
      });
    }
    const browser = keepBrowser(request, reply);
    const url = await this.connecting.send(row, provider, { place: placeOf(request, this.stores.settings.PUBLIC_URL), browser });
    void unkept(reply).redirect(url, 303);
  }

  @Route({
    access: 'link',
    maxBodyBytes,
    points: 5,
    docs: {
      id: 'giveKey',
      summary: 'Connect an account by its key',
      tag: 'accounts',
      parameters: [token],
      body: z.toJSONSchema(pastedKey),
    },
  })
  @Post('begin/:token')
  @HttpCode(200)
  async takeKey(
    @Req() request: FastifyRequest,
    @Param('token') given: string,
  ): Promise<{ readonly location?: string; readonly message: string }> {
    const attempt = await this.connecting.attempt(given);
    if (!attempt) throw new Refusal('EXPIRED', over);
    if (attempt.provider.server) throw new Refusal('INVALID_PARAMS', 'This provider takes no keys; open the address in a browser');
    const { api_key: key } = readBody(request, pastedKey);
    const made = await this.connecting.takeKey(given, key);
    if (!made) throw new Refusal('EXPIRED', over);
    const location = returnAddress(made);
    return { ...(location !== null && { location }), message: made.message };
  }

  @Route({
    access: 'link',
    points: 5,
    docs: {
      id: 'comeBackFromProvider',
      summary: 'Where providers send browsers back to',
      tag: 'accounts',
      parameters: [
        ['query', 'state', 'As the provider got it.'],
        ['query', 'code', 'What the tokens are for.'],
        ['query', 'iss', 'Who the provider says it is (RFC 9207).'],
        ['query', 'error', 'Why there is no code.'],
      ],
      media: 'text/html',
    },
  })
  @Get('callback')
  async comeBack(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = placeOf(request, this.stores.settings.PUBLIC_URL);
    // As it came: a parameter that is given twice is refused by what reads it.
    const answer = new URL(request.raw.url ?? '', place).searchParams;
    const [state, browser] = [answer.get('state'), browserOf(request)];
    const made = state === null || browser === null ? null : await this.connecting.comeBack({ state, browser }, { answer, place });
    if (!made) return faultPage(request, reply, new Refusal('INVALID_PARAMS', notHere));
    const location = returnAddress(made);
    if (location !== null) return void unkept(reply).redirect(location, 303);
    if (made.connection === null) return faultPage(request, reply, new Refusal('INVALID_PARAMS', made.message));
    page(reply, 200, { title: `${made.title} is connected`, lines: [made.message, 'You can close this page.'] });
  }

  @Route({
    access: 'open',
    docs: { id: 'getClientDocument', summary: 'What Invoq is as a client of OAuth servers (client id metadata document)', tag: 'accounts' },
  })
  @Get('client.json')
  document(): object {
    const id = clientDocumentOf(this.stores.settings.PUBLIC_URL);
    if (id === null || this.stores.settings.PUBLIC_URL === undefined)
      throw new Refusal('RESOURCE_NOT_FOUND', 'This gateway has no public address');
    return {
      client_id: id,
      client_uri: this.stores.settings.PUBLIC_URL,
      ...clientMetadata(redirectUriOf(this.stores.settings.PUBLIC_URL)),
      token_endpoint_auth_method: 'none',
    };
  }
}

/** Null where it stays at the gateway. */
function returnAddress({ attempt: { returnTo }, connection, error }: Connected): string | null {
  return returnTo === null
    ? null
    : withOutcome(returnTo, connection ? { connection: connection.id } : { error: error ?? 'provider_error' });
}
