import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { titleOf } from '#lib/accounts';
import { Refusal } from '#lib/contracts';
import { InputRequests } from '../../inputs/input-requests.js';
import { Route, type RouteParameter } from '../../http/route.js';
import { stored } from '../../http/stored.js';
import { ConnectionLinks } from '../../calls/waiting/connection-links.js';
import type { InputRow } from '../../calls/waiting/input-row.js';
import { InputStore } from '../../calls/waiting/input-store.js';
import { Stores } from '../../stores.js';
import { Connecting, unreachable } from './connecting.js';
import { placeOf } from '../../http/gateway-place.js';
import { faultPage, page } from './send-page.js';

const token: RouteParameter = ['path', 'token', 'From the url of an input request.'];
const over = 'Nothing waits for this account any more.';

/**
 * Where the caller of a call that waits for an account begins. No page of an app stands before it, so one of ours says for whom the account is
 * connected: whoever was sent here by somebody else can see it.
 */
@Controller('connections')
export class ConnectionRequestsController {
  constructor(
    private readonly links: ConnectionLinks,
    private readonly inputs: InputStore,
    private readonly requests: InputRequests,
    private readonly connecting: Connecting,
    private readonly stores: Stores,
  ) {}

  @Route({
    access: 'link',
    points: 5,
    docs: {
      id: 'seeConnectionRequest',
      summary: 'For whom an account is connected, as a page with a button; looking connects nothing',
      tag: 'accounts',
      parameters: [token],
      media: 'text/html',
    },
  })
  @Get('requests/:token')
  async see(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('token') given: string): Promise<void> {
    const row = await this.#asked(given);
    if (!row) return faultPage(request, reply, new Refusal('EXPIRED', over));
    const title = titleOf(await this.connecting.provider(row.tenantId, row.provider ?? ''));
    page(reply, 200, {
      title: `Connect ${title}`,
      lines: [
        `The tool ${row.tool} asks to act with your ${title} account, for ${row.requestedBy}.`,
        ...(row.scopes.length > 0 ? [`It asks for these rights: ${row.scopes.join(', ')}.`] : []),
        'Go on only if that is you, and you have asked for it.',
      ],
      form: { button: `Go to ${title}` },
    });
  }

  @Route({
    access: 'link',
    points: 5,
    docs: {
      id: 'beginConnectionRequest',
      summary: 'Begin to connect the account that a call waits for',
      tag: 'accounts',
      parameters: [token],
      body: {},
    },
  })
  @Post('requests/:token')
  @HttpCode(200)
  async begin(@Req() request: FastifyRequest, @Param('token') given: string): Promise<{ readonly location: string }> {
    const row = await this.#asked(given);
    if (!row) throw new Refusal('EXPIRED', over);
    const { tenantId, requestedBy: owner, provider, scopes } = row;
    const { token: made } = await this.connecting.begin({ tenantId, owner, provider: provider ?? '', scopes, returnTo: null });
    return { location: `${placeOf(request, this.stores.settings.PUBLIC_URL)}/connections/begin/${made}` };
  }

  /** Null where nobody waits. Throws RESOURCE_NOT_FOUND for an address that is none of ours. */
  async #asked(given: string): Promise<InputRow | null> {
    const id = this.links.find(given);
    if (id === null) throw new Refusal('RESOURCE_NOT_FOUND', 'There is no such address');
    const found = await stored(unreachable, () => this.inputs.byId(id));
    const row = found && (await this.requests.settled(found));
    return row?.state === 'open' && row.kind === 'connection' ? row : null;
  }
}
