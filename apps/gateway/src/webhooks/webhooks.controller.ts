import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  newWebhook,
  parseOrRefuse,
  principal,
  toJsonSchema,
  webhookChange,
  webhookDeliveriesQuery,
  type Webhook,
  type WebhookDelivery,
  type WebhookDeliveryPage,
  type WebhookList,
  type WebhookWithSecret,
} from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { queryOf } from '../http/query.js';
import { readBody } from '../http/read-body.js';
import { Route, type RouteParameter } from '../http/route.js';
import { Cursors } from '../http/cursors.js';
import { Stores } from '../stores.js';
import { shownDelivery, shownWebhook, type WebhookRow } from './webhook-row.js';
import { Webhooks, type WithSecret } from './webhooks.js';

const maxBodyBytes = 16_384;
/** A request to test, to rotate or to try again says nothing. */
const maxEmptyBytes = 1_024;
/** A test holds a request for as long as its receiver takes. */
const testPoints = 20;

const webhookId: RouteParameter = ['path', 'id', 'Id of the webhook.'];

/** Addresses that are told of what becomes of the calls of a tenant, by Standard Webhooks. */
@Controller('webhooks')
export class WebhooksController {
  readonly #places: Cursors<{ readonly at: number; readonly id: string }>;

  constructor(
    private readonly webhooks: Webhooks,
    private readonly stores: Stores,
  ) {
    this.#places = new Cursors(stores.settings.SEALING_KEYS, z.strictObject({ at: z.number(), id: z.string() }));
  }

  @Route({
    access: 'webhooks',
    maxBodyBytes,
    points: 5,
    docs: {
      id: 'createWebhook',
      summary: 'Have an address told of events; the answer has the secret that signs, this once',
      tag: 'webhooks',
      body: toJsonSchema(newWebhook, 'input'),
      status: 201,
    },
  })
  @Post()
  async create(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<WebhookWithSecret> {
    const made = await this.webhooks.create(callerOf(request), readBody(request, newWebhook));
    request.facts.made = made.row.id;
    void reply.header('location', `/webhooks/${made.row.id}`);
    return this.#withSecret(made);
  }

  @Route({ access: 'webhooks', docs: { id: 'listWebhooks', summary: 'The webhooks of your tenant, the oldest first', tag: 'webhooks' } })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<WebhookList> {
    return { webhooks: (await this.webhooks.list(callerOf(request))).map((row) => this.#shown(row)) };
  }

  @Route({ access: 'webhooks', docs: { id: 'getWebhook', summary: 'One webhook', tag: 'webhooks', parameters: [webhookId] } })
  @Get(':id')
  async one(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Webhook> {
    return this.#shown(await this.webhooks.find(callerOf(request), id));
  }

  @Route({
    access: 'webhooks',
    maxBodyBytes,
    points: 5,
    docs: {
      id: 'changeWebhook',
      summary: 'Change a webhook, disable it, or take it up again',
      tag: 'webhooks',
      parameters: [webhookId],
      body: toJsonSchema(webhookChange, 'input'),
    },
  })
  @Patch(':id')
  async change(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Webhook> {
    return this.#shown(await this.webhooks.change(callerOf(request), id, readBody(request, webhookChange)));
  }

  @Route({
    access: 'webhooks',
    points: 5,
    docs: { id: 'deleteWebhook', summary: 'Delete a webhook with its deliveries', tag: 'webhooks', parameters: [webhookId] },
  })
  @Delete(':id')
  @HttpCode(200)
  async remove(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Webhook> {
    return this.#shown(await this.webhooks.remove(callerOf(request), id));
  }

  @Route({
    access: 'webhooks',
    maxBodyBytes: maxEmptyBytes,
    docs: {
      id: 'rotateWebhookSecret',
      summary: 'Give a webhook another secret; the one before signs too for 24 hours',
      tag: 'webhooks',
      parameters: [webhookId],
    },
  })
  @Post(':id/rotate')
  @HttpCode(200)
  async rotate(@Req() request: FastifyRequest, @Param('id') id: string): Promise<WebhookWithSecret> {
    return this.#withSecret(await this.webhooks.rotate(callerOf(request), id));
  }

  @Route({
    access: 'webhooks',
    maxBodyBytes: maxEmptyBytes,
    points: testPoints,
    docs: {
      id: 'testWebhook',
      summary: 'Send a webhook.test now, once, and say what came of it',
      tag: 'webhooks',
      parameters: [webhookId],
    },
  })
  @Post(':id/test')
  @HttpCode(200)
  async test(@Req() request: FastifyRequest, @Param('id') id: string): Promise<WebhookDelivery> {
    return shownDelivery(await this.webhooks.test(callerOf(request), id));
  }

  @Route({
    access: 'webhooks',
    docs: {
      id: 'listWebhookDeliveries',
      summary: 'What was sent, and what came of it, newest first',
      tag: 'webhooks',
      parameters: [
        webhookId,
        ['query', 'state', 'waiting, succeeded or failed.'],
        ['query', 'cursor', 'next_cursor of the page before.'],
        ['query', 'limit', '1–100, 50 by default.'],
      ],
    },
  })
  @Get(':id/deliveries')
  async deliveries(@Req() request: FastifyRequest, @Param('id') id: string): Promise<WebhookDeliveryPage> {
    const caller = callerOf(request);
    const { state = null, cursor, limit } = parseOrRefuse(webhookDeliveriesQuery, queryOf(request));
    const webhook = await this.webhooks.find(caller, id);
    const binding = JSON.stringify([principal(caller), 'deliveries', webhook.id, state]);
    const after = cursor === undefined ? null : this.#places.open(cursor, binding);
    const rows = await this.webhooks.deliveries(webhook, { state, after, most: limit + 1 });
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return {
      deliveries: page.map(shownDelivery),
      pagination: {
        has_more: last !== undefined,
        next_cursor: last ? this.#places.seal({ at: last.createdAt.getTime(), id: last.id }, binding) : null,
      },
    };
  }

  @Route({
    access: 'webhooks',
    maxBodyBytes: maxEmptyBytes,
    docs: {
      id: 'retryWebhookDelivery',
      summary: 'Have a delivery sent again, under the same webhook-id',
      tag: 'webhooks',
      parameters: [webhookId, ['path', 'delivery', 'Id of the delivery.']],
      status: 202,
    },
  })
  @Post(':id/deliveries/:delivery/retry')
  @HttpCode(202)
  async retry(@Req() request: FastifyRequest, @Param('id') id: string, @Param('delivery') delivery: string): Promise<WebhookDelivery> {
    return shownDelivery(await this.webhooks.retry(callerOf(request), id, delivery));
  }

  #shown(row: WebhookRow): Webhook {
    return shownWebhook(row, this.stores.clock.now());
  }

  #withSecret({ row, secret }: WithSecret): WebhookWithSecret {
    return { ...this.#shown(row), secret };
  }
}
