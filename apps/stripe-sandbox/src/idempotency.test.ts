import { describe, expect, test } from '@jest/globals';
import { Idempotency } from './idempotency.js';

const answer = { status: 200, body: { object: 'login_link' }, headers: { 'x-own': '1' } };

describe('a key', () => {
  test('that is new is to run', () => expect(new Idempotency().begin('k', 'same', 'req_1')).toBeNull());

  test('gives the kept answer to the same request, marked as replayed', () => {
    const idempotency = new Idempotency();
    idempotency.begin('k', 'same', 'req_1');
    idempotency.keep('k', answer);
    expect(idempotency.begin('k', 'same', 'req_2')).toEqual({
      ...answer,
      headers: { 'x-own': '1', 'idempotent-replayed': 'true', 'original-request': 'req_1' },
    });
  });

  test('keeps errors too', () => {
    const idempotency = new Idempotency();
    idempotency.begin('k', 'same', 'req_1');
    idempotency.keep('k', { status: 500, body: {} });
    expect(idempotency.begin('k', 'same', 'req_2')).toMatchObject({ status: 500 });
  });

  test('with other parameters is an error, whether the first is running or kept', () => {
    const idempotency = new Idempotency();
    idempotency.begin('k', 'same', 'req_1');
    const refused = { status: 400, body: { error: { type: 'idempotency_error' } } };
    expect(idempotency.begin('k', 'other', 'req_2')).toMatchObject(refused);
    idempotency.keep('k', answer);
    expect(idempotency.begin('k', 'other', 'req_3')).toMatchObject(refused);
  });

  test('whose first request runs is a conflict that may be tried again', () => {
    const idempotency = new Idempotency();
    idempotency.begin('k', 'same', 'req_1');
    expect(idempotency.begin('k', 'same', 'req_2')).toMatchObject({
      status: 409,
      body: { error: { code: 'idempotency_key_in_use' } },
      headers: { 'stripe-should-retry': 'true' },
    });
  });

  test('that is forgotten is free again, and so are all when they are cleared', () => {
    const idempotency = new Idempotency();
    for (const key of ['a', 'b']) idempotency.begin(key, 'same', 'req_1');
    idempotency.forget('a');
    expect(idempotency.begin('a', 'other', 'req_2')).toBeNull();
    idempotency.clear();
    expect(idempotency.begin('b', 'other', 'req_3')).toBeNull();
  });

  test('that was never begun keeps nothing', () => {
    const idempotency = new Idempotency();
    idempotency.keep('k', answer);
    expect(idempotency.begin('k', 'same', 'req_1')).toBeNull();
  });
});
