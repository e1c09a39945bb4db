import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { calcMetrics, secret, type Caller, type ToolContract } from '#lib/contracts';
import { Sealer } from './sealing.js';

const key = (id: string) => ({ id, key: randomBytes(32) });
const caller: Caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' };
const jobId = `inv_profile_${'a'.repeat(32)}`;
const contract: ToolContract = {
  ...calcMetrics,
  output: z.strictObject({ url: secret(z.string()), links: z.array(secret(z.string())), plain: z.string() }),
};

describe('sealed data', () => {
  const sealer = new Sealer([key('a')]);

  test('hides every secret and gives it back to its caller', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), fc.array(fc.string({ minLength: 8 })), (url, links) => {
        const value = { url, links, plain: 'p' };
        const { data, sealed } = sealer.sealData(contract, value, { jobId, caller });
        expect(sealed).toBe(true);
        for (const text of [url, ...links]) expect(JSON.stringify(data)).not.toContain(JSON.stringify(text));
        expect(data).toMatchObject({ plain: 'p' });
        expect(sealer.openData(contract, data, { jobId, caller })).toEqual(value);
      }),
    );
  });

  test.each([
    ['another job', { jobId: `inv_profile_${'b'.repeat(32)}`, caller }],
    ['another user', { jobId, caller: { ...caller, userId: 'v' } }],
    ['another tenant', { jobId, caller: { ...caller, tenantId: 'v' } }],
  ])('does not open for %s', (_who, binding) => {
    const { data } = sealer.sealData(contract, { url: 'https://x', links: [], plain: '' }, { jobId, caller });
    expect(() => sealer.openData(contract, data, binding)).toThrow();
  });

  test('does not open when moved to another place or altered', () => {
    const { data } = sealer.sealData(contract, { url: 'https://x', links: ['https://y'], plain: '' }, { jobId, caller });
    const { url, links } = z.object({ url: z.string(), links: z.array(z.string()) }).parse(data);
    expect(() => sealer.openData(contract, { url: links[0], links: [url] }, { jobId, caller })).toThrow();
    expect(() => sealer.openData(contract, { url: `${url.slice(0, -2)}AA`, links: [] }, { jobId, caller })).toThrow();
  });

  test('opens after the keys were changed, as long as the old one is known', () => {
    const old = key('old');
    const { data } = new Sealer([old]).sealData(contract, { url: 'https://x', links: [], plain: '' }, { jobId, caller });
    expect(new Sealer([key('new'), old]).openData(contract, data, { jobId, caller })).toMatchObject({ url: 'https://x' });
    expect(() => new Sealer([key('new')]).openData(contract, data, { jobId, caller })).toThrow();
  });
});

test('a text is sealed again by the first key alone: once, for its own purpose, and never with a key that is unknown', () => {
  const [older, newer] = [key('older'), key('newer')];
  const sealed = new Sealer([older, newer]).sealText('t', 'p');
  const rotated = new Sealer([newer, older]);
  const again = rotated.resealText(sealed, 'p');
  expect(new Sealer([newer]).openText(again, 'p')).toBe('t');
  expect(rotated.resealText(again, 'p')).toBe(again);
  expect(() => rotated.resealText(sealed, 'q')).toThrow();
  expect(() => new Sealer([newer]).resealText(sealed, 'p')).toThrow();
});

test('signatures tell what we wrote from what we did not', () => {
  const sealer = new Sealer([key('a')]);
  const signature = sealer.sign('text');
  expect(sealer.verify('text', signature)).toBe(true);
  for (const forged of ['', 'a.', 'b.xyz', `${signature}x`, new Sealer([key('a')]).sign('text')])
    expect(sealer.verify('text', forged)).toBe(false);
  expect(sealer.verify('other', signature)).toBe(false);
});
