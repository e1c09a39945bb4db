import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Sealer } from './sealing.js';
import { isTurnToken, mintTurnToken, readTurnToken } from './turn-token.js';

const keyNamed = (id: string) => ({ id, key: randomBytes(32) });
const [old, current] = [keyNamed('k1'), keyNamed('k2')];
const sealer = new Sealer([current, old]);
const authority = {
  jobId: `inv_agent_${'0'.repeat(32)}`,
  caller: { tenantId: 't', userId: 'u', tier: 'free', scopes: ['tools:read'], credentialId: 'k' },
  expiresAt: 2_000,
} as const;

describe('the credential of a turn', () => {
  test('gives back whom it was made for, until its time is over', () => {
    const token = mintTurnToken(sealer, authority);
    expect(isTurnToken(token)).toBe(true);
    expect(readTurnToken(sealer, token, 1_999)).toEqual(authority);
    expect(readTurnToken(sealer, token, 2_000)).toBeNull();
  });

  test('of code says so, and one of a turn cannot be made one of code', () => {
    const token = mintTurnToken(sealer, { ...authority, kind: 'code' });
    expect(isTurnToken(token)).toBe(true);
    expect(readTurnToken(sealer, token, 0)).toEqual({ ...authority, kind: 'code' });
    expect(readTurnToken(sealer, token.replace(/^code_/, 'turn_'), 0)).toBeNull();
    expect(readTurnToken(sealer, mintTurnToken(sealer, authority).replace(/^turn_/, 'code_'), 0)).toBeNull();
  });

  test('made with a key that is still known is good; with another it is none', () => {
    expect(readTurnToken(sealer, mintTurnToken(new Sealer([old]), authority), 0)).toEqual(authority);
    expect(readTurnToken(sealer, mintTurnToken(new Sealer([keyNamed('k2')]), authority), 0)).toBeNull();
  });

  test('is none when any part of it is another', () => {
    const token = mintTurnToken(sealer, authority);
    const [body = '', signature = ''] = token.slice('turn_'.length).split('~');
    const forged = Buffer.from(JSON.stringify({ ...authority, caller: { ...authority.caller, scopes: ['*'] } })).toString('base64url');
    for (const text of [
      `turn_${forged}~${signature}`,
      `turn_${body}~${signature.slice(0, -2)}AA`,
      `turn_${body}`,
      token.slice(5),
      '',
      'turn_~',
    ])
      expect([text, readTurnToken(sealer, text, 0)]).toEqual([text, null]);
  });

  test('is not to be had from what else we sign', () => {
    const body = Buffer.from(JSON.stringify(authority)).toString('base64url');
    expect(readTurnToken(sealer, `turn_${body}~${sealer.sign(authority.jobId + JSON.stringify(authority))}`, 0)).toBeNull();
    expect(readTurnToken(sealer, `turn_${body}~${sealer.sign(body)}`, 0)).toBeNull();
  });
});
