import { Controller, Delete, Get, HttpCode, Param, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { mayExchange, ProviderFault, ProviderStore, setUp, OAuthRequests, titleOf, type StoredProvider } from '#lib/accounts';
import {
  newProvider,
  parseOrRefuse,
  principal,
  providerName,
  Refusal,
  toJsonSchema,
  type NewProvider,
  type Provider,
  type ProviderList,
} from '#lib/contracts';
import { callerOf } from '../../http/caller-of.js';
import { readBody } from '../../http/read-body.js';
import { Route, type RouteParameter } from '../../http/route.js';
import { stored } from '../../http/stored.js';
import { Stores } from '../../stores.js';
import { placeOf } from '../../http/gateway-place.js';
import { clientDocumentOf, redirectUriOf } from './gateway-place.js';

const maxProviderBytes = 32_768;
const unreachable = 'Providers cannot be reached at the moment';
const named: RouteParameter = ['path', 'name', 'Name of the provider.'];

/** At whom the users of a tenant have accounts. */
@Controller('providers')
export class ProvidersController {
  constructor(
    private readonly store: ProviderStore,
    private readonly requests: OAuthRequests,
    private readonly stores: Stores,
  ) {}

  @Route({ access: 'tenant:admin', docs: { id: 'listProviders', summary: 'The providers of your tenant, by name', tag: 'accounts' } })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ProviderList> {
    const { tenantId } = callerOf(request);
    const [rows, counts] = await stored(unreachable, () => Promise.all([this.store.ofTenant(tenantId), this.store.counts(tenantId)]));
    return { providers: rows.map((row) => this.#shown(request, row, counts.get(row.row.name) ?? 0)) };
  }

  @Route({ access: 'tenant:admin', docs: { id: 'getProvider', summary: 'One provider', tag: 'accounts', parameters: [named] } })
  @Get(':name')
  async one(@Req() request: FastifyRequest, @Param('name') name: string): Promise<Provider> {
    return this.#read(request, name);
  }

  @Route({
    access: 'tenant:admin',
    maxBodyBytes: maxProviderBytes,
    points: 20,
    docs: {
      id: 'putProvider',
      summary: 'Set up a provider of accounts, or put it in the place of another: what is not given is discovered, and a client registered',
      tag: 'accounts',
      parameters: [named],
      body: toJsonSchema(newProvider, 'input'),
    },
  })
  @Put(':name')
  async put(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('name') given: string,
  ): Promise<Provider> {
    const caller = callerOf(request);
    const { name } = parseOrRefuse(z.object({ name: providerName }), { name: given });
    const of = { tenantId: caller.tenantId, name };
    const { client_secret: secret, ...config } = readBody(request, newProvider);
    const before = await stored(unreachable, () => this.store.find(of));
    const made = config.api_key
      ? { server: null, clientSecret: null }
      : await this.#setUp(request, config, { secret: secret ?? null, before });
    checkExchange({ config, ...made }, this.stores.settings.JWT_ISSUER);
    const isNew = await stored(unreachable, () => this.store.put(principal(caller), of, { config, ...made }));
    request.facts.made = name;
    void reply.status(isNew ? 201 : 200).header('location', `/providers/${name}`);
    return this.#read(request, name);
  }

  @Route({
    access: 'tenant:admin',
    docs: {
      id: 'deleteProvider',
      summary: 'Delete a provider with the accounts that are connected there',
      tag: 'accounts',
      parameters: [named],
    },
  })
  @Delete(':name')
  @HttpCode(200)
  async remove(@Req() request: FastifyRequest, @Param('name') name: string): Promise<Provider> {
    const caller = callerOf(request);
    const shown = await this.#read(request, name);
    await stored(unreachable, () => this.store.remove(principal(caller), { tenantId: caller.tenantId, name }));
    return shown;
  }

  /** Throws INVALID_PARAMS for what the provider refuses, NETWORK_ERROR where it does not answer. */
  async #setUp(
    request: FastifyRequest,
    config: Omit<NewProvider, 'client_secret'>,
    { secret, before }: { readonly secret: string | null; readonly before: StoredProvider | null },
  ) {
    const { PUBLIC_URL: publicUrl } = this.stores.settings;
    const known = before && this.store.open(before);
    try {
      return await setUp(this.requests, {
        config,
        clientSecret: secret,
        redirectUri: redirectUriOf(placeOf(request, publicUrl)),
        clientDocument: clientDocumentOf(publicUrl),
        before: known,
      });
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      const message = `The provider cannot be set up: ${error.message}`;
      if (error.kind === 'away') throw new Refusal('NETWORK_ERROR', message, { retry_after_ms: 5_000 });
      const path = ['resource', 'issuer', 'token_endpoint', 'preset'].find((field) => Object.hasOwn(config, field)) ?? 'issuer';
      throw new Refusal('INVALID_PARAMS', message, { details: [{ path, message: error.message }] });
    }
  }

  async #read(request: FastifyRequest, name: string): Promise<Provider> {
    const { tenantId } = callerOf(request);
    const row = providerName.safeParse(name).success ? await stored(unreachable, () => this.store.find({ tenantId, name })) : null;
    if (!row) throw new Refusal('RESOURCE_NOT_FOUND', `There is no provider '${name.slice(0, 64)}'; see GET /providers`);
    const counts = await stored(unreachable, () => this.store.counts(tenantId));
    return this.#shown(request, row, counts.get(name) ?? 0);
  }

  #shown(request: FastifyRequest, provider: StoredProvider, connections: number): Provider {
    const { row, config, server } = provider;
    return {
      name: row.name,
      title: titleOf(provider),
      kind: server ? 'oauth2' : 'api_key',
      preset: config.preset ?? null,
      issuer: server?.isNamed ? server.issuer : null,
      resource: server?.resource ?? null,
      authorization_endpoint: server?.authorizationEndpoint ?? null,
      token_endpoint: server?.tokenEndpoint ?? null,
      revocation_endpoint: server?.revocationEndpoint ?? null,
      client_id: server?.clientId ?? null,
      client: server?.client ?? null,
      has_client_secret: row.clientSecret !== null,
      scopes: server ? [...server.scopes] : [],
      return_origins: config.return_origins ?? [],
      redirect_uri: server && redirectUriOf(placeOf(request, this.stores.settings.PUBLIC_URL)),
      revokes: server !== null && server.revocationEndpoint !== null,
      connections,
      given: { ...config },
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
    };
  }
}

/** Throws INVALID_PARAMS where a token of a caller would go to somebody else than its issuer. */
function checkExchange({ config, server }: Pick<StoredProvider, 'config' | 'server'>, issuer: string | undefined): void {
  if (config.token_exchange === undefined || (server && mayExchange(config, server, issuer))) return;
  const message = "is for the issuer of callers' tokens (the setting JWT_ISSUER), found by its issuer and without token_endpoint";
  throw new Refusal('INVALID_PARAMS', `Parameter 'token_exchange' ${message}`, { details: [{ path: 'token_exchange', message }] });
}
