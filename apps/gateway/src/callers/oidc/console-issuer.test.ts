import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { gatewaySettings } from '../../config.js';
import { ConsoleIssuer } from './console-issuer.js';

const stores = { REDIS_URL: 'redis://x', DATABASE_URL: 'postgres://x', SEALING_KEYS: `k:${Buffer.alloc(32).toString('base64')}` };
const of = (settings: Readonly<Record<string, string>>) => ConsoleIssuer.of(z.object(gatewaySettings).parse({ ...stores, ...settings }));
const client = { CONSOLE_OIDC_CLIENT_ID: 'console' };

test('without a client there is none', () => {
  expect(of({ JWT_ISSUER: 'https://login.example.com', JWT_JWKS_URL: 'https://login.example.com/keys' })).toBeNull();
});

test.each([
  [{}, 'JWT_ISSUER'],
  [{ JWT_ISSUER: 'login' }, 'JWT_ISSUER'],
  [{ JWT_ISSUER: 'http://login.example.com', JWT_JWKS_URL: 'http://login.example.com/keys' }, 'https URL'],
  [{ JWT_ISSUER: 'https://login.example.com' }, 'JWT_JWKS_URL'],
])('settings that do not fit together are told: %j', (settings, named) => expect(() => of({ ...client, ...settings })).toThrow(named));

test.each(['https://login.example.com/', 'http://localhost:8080/realms/acme', 'http://127.0.0.1:9000'])('%s is an issuer', (issuer) => {
  expect(of({ ...client, JWT_ISSUER: issuer, JWT_JWKS_URL: `${issuer}/keys` })?.issuer).toBe(issuer);
});

test('lists of claims can be others', () => {
  const issuer = { JWT_ISSUER: 'https://login.example.com', JWT_SECRET: 'x'.repeat(32) };
  expect(of({ ...client, ...issuer, CONSOLE_OIDC_TENANT_CLAIMS: 'https://a.b/tenant, tid' })?.paths.tenant).toEqual([
    'https://a.b/tenant',
    'tid',
  ]);
});
