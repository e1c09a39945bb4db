import { randomBytes } from 'node:crypto';
import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { inputDecision, Refusal, toJsonSchema, type Caller, type InputRequest } from '#lib/contracts';
import { readBody } from '../http/read-body.js';
import { Route, type RouteParameter } from '../http/route.js';
import { stored } from '../http/stored.js';
import { DecisionLinks } from '../calls/waiting/decision-links.js';
import { InputStore } from '../calls/waiting/input-store.js';
import { Stores } from '../stores.js';
import { decisionPage, policyOfPage } from './decision-page.js';
import { InputRequests } from './input-requests.js';

const maxBodyBytes = 8_192;
const unreachable = 'The input requests cannot be reached at the moment';
const token: RouteParameter = ['path', 'token', 'From data.links.decide of an input.requested event.'];
const linkDecision = inputDecision.omit({ content: true }).extend({ action: inputDecision.shape.action.exclude(['cancel']) });

/** Where an address is told of an approval, its link decides: whoever has it, once, in time, and as long as the webhook is there. */
@Controller('decide')
export class DecisionLinkController {
  constructor(
    private readonly links: DecisionLinks,
    private readonly inputs: InputStore,
    private readonly requests: InputRequests,
    private readonly stores: Stores,
  ) {}

  @Route({
    access: 'link',
    docs: {
      id: 'seeDecisionLink',
      summary: 'What a link of a webhook decides, as a page for people, or as JSON; looking decides nothing',
      tag: 'inputs',
      parameters: [token],
    },
  })
  @Get(':token')
  async see(@Req() { headers }: FastifyRequest, @Res() reply: FastifyReply, @Param('token') given: string): Promise<void> {
    const { caller, inputId } = await this.#decider(given);
    const request = this.requests.shown(await this.requests.find(caller, inputId), caller);
    // Nobody keeps it: the address is a credential.
    void reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    if (!headers.accept?.includes('text/html')) return void reply.send(request);
    const nonce = randomBytes(16).toString('base64url');
    void reply.type('text/html; charset=utf-8').header('content-security-policy', policyOfPage(nonce)).send(decisionPage(request, nonce));
  }

  @Route({
    access: 'link',
    maxBodyBytes,
    docs: {
      id: 'decideByLink',
      summary: 'Accept or decline by a link of a webhook, once',
      tag: 'inputs',
      parameters: [token],
      body: toJsonSchema(linkDecision, 'input'),
    },
  })
  @Post(':token')
  @HttpCode(200)
  async decide(@Req() request: FastifyRequest, @Param('token') given: string): Promise<InputRequest> {
    const { caller, inputId } = await this.#decider(given);
    return this.requests.shown(await this.requests.decide(caller, inputId, readBody(request, linkDecision)), caller);
  }

  /** Who decides by this link: nobody that is known, with the right of whoever made the webhook. Throws RESOURCE_NOT_FOUND. */
  async #decider(given: string): Promise<{ readonly caller: Caller; readonly inputId: string }> {
    const link = this.links.find(given);
    if (!link) throw unknown();
    const { database, settings } = this.stores;
    const [row, webhook] = await stored(unreachable, () =>
      Promise.all([
        this.inputs.byId(link.inputId),
        database.webhook.findUnique({ where: { id: link.webhookId, namespace: settings.INVOQ_NAMESPACE } }),
      ]),
    );
    if (!row || row.kind !== 'approval' || !webhook?.approves || webhook.tenantId !== row.tenantId) throw unknown();
    const { tenantId } = row;
    const credentialId = `webhook:${webhook.id}`;
    return { inputId: row.id, caller: { tenantId, userId: null, tier: 'free', scopes: ['approvals'], credentialId } };
  }
}

function unknown(): Refusal {
  return new Refusal('RESOURCE_NOT_FOUND', 'There is no such link, or its webhook is gone');
}
