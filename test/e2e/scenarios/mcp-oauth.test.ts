// `/mcp` as an OAuth 2.1 resource server: where tokens come from, which are taken, and which scopes to ask for.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { Issuer, startSystem, startTimeoutMs, type System } from '#lib/testing';
import { inProcess } from '../in-process.js';

const audience = 'https://tools.example.com/mcp';
const metadataShape = z.looseObject({
  resource: z.string(),
  authorization_servers: z.array(z.string()),
  scopes_supported: z.array(z.string()),
});

describe('MCP with tokens of an issuer', () => {
  let issuer: Issuer;
  let system: System;

  beforeAll(async () => {
    issuer = await Issuer.start();
    system = await startSystem({
      inProcess,
      gatewayEnv: {
        JWT_ISSUER: issuer.url,
        JWT_AUDIENCE: audience,
        JWT_JWKS_URL: `${issuer.url}/jwks`,
        PUBLIC_URL: 'https://tools.example.com',
      },
    });
  }, startTimeoutMs);
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]();
    await issuer?.[Symbol.asyncDispose]();
  });

  const token = (claims: object = {}) =>
    issuer.sign({
      iss: issuer.url,
      aud: audience,
      sub: 'user_001',
      tenant_id: system.tenant.id,
      exp: Math.floor(Date.now() / 1_000) + 60,
      ...claims,
    });
  const call = async (bearer: string, name: string) =>
    fetch(`${system.gateway.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
    });

  test('says under the well-known path who issues them (RFC 9728)', async () => {
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
      const metadata = metadataShape.parse(await (await fetch(system.gateway.url + path)).json());
      expect(metadata).toMatchObject({
        resource: audience,
        authorization_servers: [issuer.url],
        scopes_supported: expect.arrayContaining(['tools:read', 'tools:write']),
      });
    }
  });

  test('takes a token for this audience, through the official client', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    const authorization = `Bearer ${await token()}`;
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', system.gateway.url), { requestInit: { headers: { authorization } } }),
    );
    expect((await client.listTools()).tools.length).toBeGreaterThan(1);
    await client.close();
  });

  test.each([
    ['for somebody else', { aud: 'https://other.example.com' }],
    ['of another issuer', { iss: 'https://evil.example.com' }],
    ['that has expired', { exp: 1_000 }],
  ])('refuses a token %s and says where one is had', async (_what, claims) => {
    const response = await call(await token(claims), 'calc_metrics');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain(
      'resource_metadata="https://tools.example.com/.well-known/oauth-protected-resource/mcp"',
    );
  });

  test('names the scopes to ask for when a token has too few', async () => {
    const response = await call(await token({ scope: 'tools:read' }), 'register_mcp_server');
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toMatch(/scope="tools:read tools:write".*error="insufficient_scope"/);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32_003 } });
  });
});
