import { Controller, Delete, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ConnectionRow } from '#lib/accounts';
import {
  connection,
  connectionsQuery,
  hasScope,
  newConnection,
  parseOrRefuse,
  principal,
  Refusal,
  toJsonSchema,
  type Connection,
  type ConnectionAddress,
  type ConnectionList,
  type RemovedConnection,
} from '#lib/contracts';
import { callerOf } from '../../http/caller-of.js';
import { queryOf } from '../../http/query.js';
import { readBody } from '../../http/read-body.js';
import { Route, type RouteParameter } from '../../http/route.js';
import { Stores } from '../../stores.js';
import { Connecting } from './connecting.js';
import { placeOf } from '../../http/gateway-place.js';
import { checkReturnTo } from './return-address.js';

const maxBodyBytes = 16_384;
const uuidShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const named: RouteParameter = ['path', 'id', 'Id of the connection.'];

/** The accounts of users. */
@Controller('connections')
export class ConnectionsController {
  constructor(
    private readonly connecting: Connecting,
    private readonly stores: Stores,
  ) {}

  @Route({
    docs: {
      id: 'listConnections',
      summary: 'Your accounts; with the scope tenant:admin those of your tenant',
      tag: 'accounts',
      parameters: [
        ['query', 'scope', 'mine, the default; tenant, with the scope tenant:admin: all of your tenant.'],
        ['query', 'provider', 'Name of a provider.'],
      ],
    },
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ConnectionList> {
    const caller = callerOf(request);
    const { scope, provider } = parseOrRefuse(connectionsQuery, queryOf(request));
    if (scope === 'tenant' && !hasScope(caller, 'tenant:admin'))
      throw new Refusal('PERMISSION_DENIED', 'Connections of the scope tenant need a credential with the scope tenant:admin', {
        extra: { required_scope: 'tenant:admin' },
      });
    const owner = scope === 'tenant' ? null : principal(caller);
    return { connections: (await this.connecting.list({ tenantId: caller.tenantId, owner, provider })).map(shown) };
  }

  @Route({
    maxBodyBytes,
    points: 5,
    docs: {
      id: 'connectAccount',
      summary: 'Begin to connect an account: send the browser of its user to the url',
      tag: 'accounts',
      body: toJsonSchema(newConnection, 'input'),
      status: 201,
    },
  })
  @Post()
  @HttpCode(201)
  async begin(@Req() request: FastifyRequest): Promise<ConnectionAddress> {
    const caller = callerOf(request);
    const { provider: name, return_to, scopes = [] } = readBody(request, newConnection);
    const { PUBLIC_URL: publicUrl, NODE_ENV } = this.stores.settings;
    const place = placeOf(request, publicUrl);
    const { config } = await this.connecting.provider(caller.tenantId, name);
    const returnTo =
      return_to === undefined ? null : checkReturnTo(return_to, { config, place, allowsLoopback: NODE_ENV !== 'production' });
    const asked = { tenantId: caller.tenantId, owner: principal(caller), provider: name, scopes, returnTo };
    const { token, expiresAt } = await this.connecting.begin(asked);
    return { url: `${place}/connections/begin/${token}`, expires_at: expiresAt.toISOString() };
  }

  @Route({
    docs: {
      id: 'deleteConnection',
      summary: 'Delete an account of yours, and have its provider take the tokens back; with the scope tenant:admin any of your tenant',
      tag: 'accounts',
      parameters: [named],
    },
  })
  @Delete(':id')
  @HttpCode(200)
  async remove(@Req() request: FastifyRequest, @Param('id') id: string): Promise<RemovedConnection> {
    const caller = callerOf(request);
    const row = uuidShape.test(id) ? await this.connecting.byId(caller.tenantId, id) : null;
    const isTheirs = row !== null && (row.owner === principal(caller) || hasScope(caller, 'tenant:admin'));
    if (!isTheirs) throw new Refusal('RESOURCE_NOT_FOUND', 'There is no such connection; see GET /connections');
    return { ...shown(row), revoked: await this.connecting.disconnect(principal(caller), row) };
  }
}

function shown(row: ConnectionRow): Connection {
  return {
    id: row.id,
    provider: row.provider,
    user: row.owner,
    state: connection.shape.state.parse(row.state),
    reason: row.reason,
    scopes: row.scopes,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
