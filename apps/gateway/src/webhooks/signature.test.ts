import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret, signedHeaders } from './signature.js';

const now = () => Math.floor(Date.now() / 1_000);

test('The official library makes the same signature of the same', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = '{"test": 2432232314}';
  const headers = signedHeaders([secret], { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body });
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('What is signed verifies by each of the secrets, whatever the body, and by no other', () => {
  fc.assert(
    fc.property(fc.json(), fc.stringMatching(/^[A-Za-z0-9_-]{1,60}$/), (body, id) => {
      const [one, two, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
      const headers = signedHeaders([one, two], { id, timestamp: now(), body });
      for (const secret of [one, two]) expect(new Webhook(secret).verify(body, { ...headers })).toEqual(JSON.parse(body));
      expect(() => new Webhook(other).verify(body, { ...headers })).toThrow('No matching signature');
      expect(() => new Webhook(one).verify(`${body} `, { ...headers })).toThrow('No matching signature');
    }),
  );
});

test('A secret has 256 bits, as the standard writes them', () => {
  const secrets = Array.from({ length: 100 }, newWebhookSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
});
