import { expect, test } from '@jest/globals';
import type { Flow } from '#lib/client';
import { bodyOf, formFrom, newForm } from './form.js';

const flow: Flow = {
  name: 'accounts',
  by: 'tenant',
  tool: null,
  domain: 'stripe',
  key: 'args.account',
  concurrency: 2,
  rate: { max: 10, per_ms: 500 },
  waiting: 3,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  problem: null,
};

test('a flow that is saved unchanged stays as it is', () => {
  expect(bodyOf(formFrom(flow))).toEqual({ domain: 'stripe', key: 'args.account', concurrency: 2, rate: { max: 10, per_ms: 500 } });
  expect(bodyOf(formFrom({ ...flow, rate: null, key: null }))).toEqual({ domain: 'stripe', concurrency: 2 });
});

test('a bound is needed, and is a number', () => {
  const form = { ...newForm, name: 'a' };
  expect(bodyOf(form)).toBeNull();
  expect(bodyOf({ ...form, concurrency: 'two' })).toBeNull();
  expect(bodyOf({ ...form, most: '10', seconds: 'a while' })).toBeNull();
  expect(bodyOf({ ...form, most: '10', seconds: '0.25' })).toEqual({ rate: { max: 10, per_ms: 250 } });
  expect(bodyOf({ ...form, name: '', concurrency: '1' })).toBeNull();
});
