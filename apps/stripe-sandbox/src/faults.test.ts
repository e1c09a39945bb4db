import { describe, expect, test } from '@jest/globals';
import { Faults, faultSchema } from './faults.js';

describe('faults', () => {
  test('are done to as many requests as was said, first come first served', () => {
    const faults = new Faults();
    faults.add({ kind: 'hang', times: 2 });
    faults.add({ kind: 'html' });
    expect(Array.from({ length: 4 }, () => faults.next('GET /v1/accounts/acct_1', 'acct_1')?.kind)).toEqual([
      'hang',
      'hang',
      'html',
      undefined,
    ]);
  });

  test('wait for requests that they are meant for', () => {
    const faults = new Faults();
    faults.add({ kind: 'hang', on: 'POST /v1/account_links' });
    expect(faults.next('GET /v1/accounts/acct_1', 'acct_1')).toBeNull();
    expect(faults.next('POST /v1/account_links', 'acct_1')).toMatchObject({ kind: 'hang' });
    expect(faults.next('POST /v1/account_links', 'acct_1')).toBeNull();
  });

  test('wait for requests about the account that they are meant for', () => {
    const faults = new Faults();
    faults.add({ kind: 'hang', account: 'acct_2' });
    expect([faults.next('GET /', 'acct_1'), faults.next('GET /', 'acct_2')?.kind]).toEqual([null, 'hang']);
  });

  test('are gone when they are cleared', () => {
    const faults = new Faults();
    faults.add({ kind: 'hang', times: 100 });
    faults.clear();
    expect(faults.next('GET /', 'acct_1')).toBeNull();
  });
});

describe('a fault', () => {
  test('is done once, to any request, unless it says otherwise', () => {
    expect(faultSchema.parse({ kind: 'status', status: 500 })).toEqual({
      kind: 'status',
      status: 500,
      account: '',
      headers: {},
      saved: false,
      times: 1,
      on: '',
    });
  });

  test.each([
    { kind: 'status', status: 200 },
    { kind: 'status', status: 600 },
    { kind: 'delay', ms: -1 },
    { kind: 'hang', times: 0 },
    { kind: 'drip', everyMs: 0 },
    { kind: 'huge', bytes: 200_000_001 },
    { kind: 'hang', unknown: true },
    { kind: 'earthquake' },
    {},
  ])('such as %j is not taken', (fault) => expect(faultSchema.safeParse(fault).success).toBe(false));
});
