import { expect, jest, test } from '@jest/globals';
import { ProtocolError } from '@modelcontextprotocol/client';
import type { QuestionAnswer } from '#lib/contracts';
import { ElicitationsOver, requiredAddresses, withOpenedAddresses } from './required-addresses.js';
import type { UpstreamAnswer } from './upstream.js';

const page = { message: 'Sign in', url: 'https://a.example', elicitationId: 'one' };
const done: UpstreamAnswer = { kind: 'done', data: {} };

function calling(actions: readonly QuestionAnswer['action'][], answers: readonly (UpstreamAnswer | readonly (typeof page)[])[]) {
  const over = new ElicitationsOver();
  const stop = new AbortController();
  const [left, said] = [[...actions], [...answers]];
  const onAddress = jest.fn(async (): Promise<QuestionAnswer> => ({ action: left.shift() ?? 'cancel' }));
  const call = jest.fn(async () => said.shift() ?? [page]);
  const ended = withOpenedAddresses({ timeoutMs: 60_000, signal: stop.signal, onAddress }, over, call);
  return { over, stop, onAddress, call, ended };
}

test('a call is made again once its user has opened all that is needed', async () => {
  const { ended, onAddress, call } = calling(['accept', 'accept'], [[page, { ...page, url: 'https://b.example' }], done]);
  expect(await ended).toBe(done);
  expect([onAddress.mock.calls.length, call.mock.calls.length]).toEqual([2, 2]);
});

test.each([
  ['decline', 'who has said no'],
  ['cancel', 'which nobody has done'],
] as const)('%s ends it in words, and the server is not asked again', async (action, words) => {
  const { ended, call } = calling(['accept', action], [[page, page]]);
  expect(await ended).toMatchObject({ kind: 'refused', message: expect.stringContaining(words) });
  expect(call).toHaveBeenCalledTimes(1);
});

test('a server whose user is not done is asked again at once when it says that they are', async () => {
  const { ended, over, call, onAddress } = calling(['accept'], [[page], [page], done]);
  await new Promise(setImmediate);
  const began = performance.now();
  over.note('another');
  over.note('one');
  expect(await ended).toBe(done);
  expect(performance.now() - began).toBeLessThan(900);
  expect([call.mock.calls.length, onAddress.mock.calls.length]).toEqual([3, 1]);
});

test('one that says nothing is asked again each second', async () => {
  const { ended, onAddress } = calling(['accept'], [[page], [page], [page], done]);
  expect(await ended).toBe(done);
  expect(onAddress).toHaveBeenCalledTimes(1);
});

test('a caller who leaves ends it, while it waits and while somebody is asked', async () => {
  const waiting = calling(['accept'], []);
  setTimeout(() => waiting.stop.abort(new Error('left')), 50);
  await expect(waiting.ended).rejects.toThrow('left');
  const stop = new AbortController();
  const asking = withOpenedAddresses(
    { timeoutMs: 60_000, signal: stop.signal, onAddress: async () => new Promise<never>(() => undefined) },
    new ElicitationsOver(),
    async () => [page],
  );
  stop.abort(new Error('left'));
  await expect(asking).rejects.toThrow('left');
});

test.each([
  [-32042, { elicitations: [{ mode: 'url', ...page }] }, [page]],
  [-32042, { elicitations: [] }, null],
  [-32042, { elicitations: 'x' }, null],
  [-32042, undefined, null],
  [-32602, { elicitations: [page] }, null],
])('%# of an error is read', (code, data, read) => {
  expect(requiredAddresses(new ProtocolError(code, 'm', data))).toEqual(read);
});

test('what is done is passed on, and no more than twenty times a second', () => {
  const over = new ElicitationsOver();
  expect(Array.from({ length: 50 }, (_, n) => over.note(`id ${n}`)).filter(Boolean)).toHaveLength(20);
  expect(new ElicitationsOver().note('x'.repeat(513))).toBe(false);
});
