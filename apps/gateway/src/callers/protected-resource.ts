// The gateway as an OAuth 2.1 resource server: where its tokens come from (RFC 9728), and what a refusal says of that.
import { Controller, Get, Req, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { userScopes } from '#lib/contracts';
import { Route } from '../http/route.js';
import { Stores } from '../stores.js';

const wellKnown = '/.well-known/oauth-protected-resource';

/** What the metadata is made of. */
@Injectable()
export class ProtectedResource {
  constructor(private readonly stores: Stores) {}

  get issuer(): string | undefined {
    return this.stores.settings.JWT_ISSUER;
  }

  /** The address that clients know us by. */
  baseOf(request: FastifyRequest): string {
    return this.stores.settings.PUBLIC_URL ?? `${request.protocol}://${request.host}`;
  }

  /** `WWW-Authenticate` of a request to `/mcp` without a credential that is good (RFC 6750, RFC 9728). */
  challenge(request: FastifyRequest, scope = userScopes.join(' ')): string {
    return `Bearer realm="invoq", resource_metadata="${this.baseOf(request)}${wellKnown}/mcp", scope="${scope}"`;
  }
}

@Controller()
export class ProtectedResourceController {
  constructor(private readonly resource: ProtectedResource) {}

  @Route({ access: 'open', docs: { id: 'getProtectedResource', summary: 'Where tokens for /mcp come from (RFC 9728)', tag: 'mcp' } })
  @Get([wellKnown, `${wellKnown}/mcp`])
  metadata(@Req() request: FastifyRequest): object {
    const base = this.resource.baseOf(request);
    return {
      resource: `${base}/mcp`,
      // Without an issuer only API keys are taken, as bearer tokens too.
      ...(this.resource.issuer !== undefined && { authorization_servers: [this.resource.issuer] }),
      bearer_methods_supported: ['header'],
      scopes_supported: userScopes,
      resource_name: 'Invoq',
      resource_documentation: `${base}/docs`,
    };
  }
}
