import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { WebhookEventType } from '#lib/contracts';
import { bodyOf, eventIdOf, mostBodyBytes, webhookEvent } from './outbox-event.js';

const type: WebhookEventType = 'budget.warning';
const of = (data: Record<string, unknown>) => webhookEvent('https://invoq.example', { type, at: 0, data, links: { self: '/budgets/a' } });

test('A body has type, timestamp and data, whose links are whole', () => {
  expect(bodyOf(of({ n: 1 }))).toBe(
    '{"type":"budget.warning","timestamp":"1970-01-01T00:00:00.000Z","data":{"n":1,"links":{"self":"https://invoq.example/budgets/a"}}}',
  );
});

test('A body has fewer than 20,000 bytes, and its links, whatever it tells', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.anything({ maxDepth: 2 }), { maxKeys: 50 }),
      fc.integer({ min: 0, max: 3_000 }),
      (data, n) => {
        const body = bodyOf(of({ ...JSON.parse(JSON.stringify(data)), long: '\u{1F980}'.repeat(n * 4) }));
        expect(Buffer.byteLength(body)).toBeLessThan(mostBodyBytes);
        expect(JSON.parse(body)).toMatchObject({ type, data: { links: { self: expect.any(String) } } });
      },
    ),
  );
});

test('What is too long is left out, and the body says so', () => {
  expect(JSON.parse(bodyOf(of({ short: 'a', long: 'x'.repeat(30_000) })))).toMatchObject({ data: { short: 'a', truncated: true } });
});

test('An event has one id, which has no full stop and which no other event has', () => {
  const event = { tenantId: 't', type, key: 'k' };
  const id = eventIdOf('n', event);
  expect(id).toMatch(/^evt_[A-Za-z0-9_-]{43}$/);
  expect(eventIdOf('n', { ...event })).toBe(id);
  const others = [eventIdOf('m', event), ...[{ tenantId: 'u' }, { key: 'l' }].map((change) => eventIdOf('n', { ...event, ...change }))];
  expect(new Set([id, ...others, eventIdOf('n', { ...event, type: 'budget.exceeded' })]).size).toBe(5);
});
