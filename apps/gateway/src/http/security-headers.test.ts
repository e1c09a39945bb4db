import { expect, test } from '@jest/globals';
import Fastify from 'fastify';
import { installSecurityHeaders } from './security-headers.js';

async function headersOf(isProduction: boolean) {
  const app = Fastify();
  installSecurityHeaders(app, { isProduction });
  app.get('/framed', async (_request, reply) => reply.header('x-frame-options', 'DENY').send());
  const [plain, framed] = [await app.inject('/missing'), await app.inject('/framed')];
  return { plain: plain.headers, framed: framed.headers };
}

test('Every answer has helmet’s headers, and a handler may replace one for its own', async () => {
  const { plain, framed } = await headersOf(true);
  expect(plain).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'strict-transport-security': expect.stringMatching(/^max-age=\d+; includeSubDomains$/),
  });
  expect(plain).not.toHaveProperty('content-security-policy');
  expect(framed).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
});

test('Browsers are told to use HTTPS in production alone', async () => {
  expect((await headersOf(false)).plain).not.toHaveProperty('strict-transport-security');
});
