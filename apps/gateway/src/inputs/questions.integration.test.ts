// Questions of tools: the call rests, its caller answers, and the tool goes on with what they said.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { inputRequest, inputRequestPage, type InputRequest } from '#lib/contracts';
import { eventually } from '#lib/testing';
import { Failure, handle, type ServedWorker, type ToolContext } from '#lib/serve';
import { contractOf } from '../serving/test-contract.js';
import { begin, startOwnWorker } from '../serving/test-own-worker.js';
import { TestHttpGateway } from '../test-http-gateway.js';

let gateway: TestHttpGateway;
let key: string;
const workers: ServedWorker[] = [];
beforeAll(async () => {
  gateway = await TestHttpGateway.start({ NODE_ENV: 'test' });
  key = await gateway.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop().catch(() => undefined)));
});
afterAll(async () => gateway[Symbol.asyncDispose]());

let used = 0;
const job = z.looseObject({
  job_id: z.string().optional(),
  state: z.string(),
  result: z.unknown(),
  rest: z.looseObject({ reason: z.string(), input_request: z.string().optional() }).nullish(),
});
const get = async (path: string, authorization = gateway.user) => JSON.parse((await gateway.send(path, { authorization })).body);
const read = async (id: string) => job.parse(await get(`/jobs/${id}`));
const until = async (id: string, ...states: string[]) =>
  eventually(async () => {
    const found = await read(id);
    return states.includes(found.state) && found;
  });

/** Serves a tool and calls it. */
async function begun(run: (context: ToolContext) => Promise<string>): Promise<string> {
  const name = `asking_tool_${++used}`;
  workers.push(
    await startOwnWorker(gateway, { key, tool: handle(contractOf(name), async (_input, context) => ({ said: await run(context) })) }),
  );
  return begin(gateway, name);
}

/** The question for which a call rests. */
async function asked(id: string): Promise<string> {
  const { rest } = await until(id, 'resting');
  expect(rest).toMatchObject({ reason: 'question' });
  return rest?.input_request ?? '';
}

const answer = async (id: string, body: object, authorization = gateway.user) => {
  const { status, body: text } = await gateway.send(`/input-requests/${id}`, {
    method: 'POST',
    authorization,
    body: JSON.stringify(body),
  });
  return { status, body: JSON.parse(text) };
};
const shown = async (id: string): Promise<InputRequest> => inputRequest.parse(await get(`/input-requests/${id}`));

const form = { message: 'Which size?', schema: z.object({ size: z.enum(['s', 'm']), note: z.string().max(5).optional() }) };

describe('a question', () => {
  test('lets the call rest until its caller answers, once, and gives the content', async () => {
    const id = await begun(async ({ ask }) => {
      const said = await ask('size', form);
      return said.action === 'accept' ? said.content.size : said.action;
    });
    const question = await asked(id);
    expect(await shown(question)).toMatchObject({
      kind: 'question',
      job_id: id,
      message: 'Which size?',
      arguments: { text: 'hello' },
      state: 'open',
      schema: { type: 'object', required: ['size'], properties: { size: { enum: ['s', 'm'] } } },
    });
    const open = inputRequestPage.parse(await get('/input-requests?kind=question&state=open'));
    expect(open.input_requests.map((one) => one.id)).toEqual([question]);
    const both = await Promise.all([
      answer(question, { action: 'accept', content: { size: 'm' } }),
      answer(question, { action: 'decline' }),
    ]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const winner = both[0].status === 200 ? 'm' : 'decline';
    expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: winner } } });
    expect(await shown(question)).toMatchObject({ state: winner === 'm' ? 'accepted' : 'declined' });
    expect((await answer(question, { action: 'cancel' })).status).toBe(409);
  });

  test('takes only what it asks for, of its caller alone', async () => {
    const id = await begun(async ({ ask }) => JSON.stringify(await ask('size', form)));
    const question = await asked(id);
    const other = await gateway.tenant.key({ userId: 'other', scopes: ['tools:read', 'approvals'] });
    expect(await answer(question, { action: 'accept', content: { size: 'm' } }, `Bearer ${other}`)).toMatchObject({ status: 403 });
    for (const [content, path] of [
      [{ size: 'xl' }, 'content.size'],
      [{}, 'content.size'],
      [{ size: 'm', note: 'too long' }, 'content.note'],
      [{ size: 'm', more: 1 }, 'content.more'],
    ] as const)
      expect(await answer(question, { action: 'accept', content })).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_PARAMS', details: [{ path }] } },
      });
    expect(await answer(question, { action: 'decline', content: { size: 'm' } })).toMatchObject({ status: 400 });
    expect(await answer(question, { action: 'cancel', reason: 'not now' })).toMatchObject({ status: 200, body: { reason: 'not now' } });
    expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: '{"action":"cancel"}' } } });
  });

  test('beside another, and a sleep: each is answered by itself', async () => {
    const id = await begun(async ({ ask, sleep }) => {
      const [first, second] = await Promise.all([
        ask('first', { message: 'First?' }),
        ask('second', { message: 'Second?' }),
        sleep('nap', 200),
      ]);
      return `${first.action} ${second.action}`;
    });
    const found = await eventually(async () => {
      const { input_requests: open } = inputRequestPage.parse(await get('/input-requests?kind=question&state=open'));
      const ofCall = open.filter((one) => one.job_id === id);
      return ofCall.length === 2 && ofCall;
    });
    for (const { id: question, message } of found)
      expect((await answer(question, { action: message === 'First?' ? 'accept' : 'decline' })).status).toBe(200);
    expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: 'accept decline' } } });
  });

  test('is over after its time: every later attempt finds so, and an answer that comes is refused', async () => {
    let asks = 0;
    const id = await begun(async ({ ask, sleep }) => {
      asks += 1;
      try {
        return (await ask('size', { ...form, expiresMs: 100 })).action;
      } catch (error) {
        if (!(error instanceof Failure) || error.kind !== 'timeout') throw error;
        await sleep('nap', 500);
        return 'nobody';
      }
    });
    const { input_requests: all } = await eventually(async () => {
      const page = inputRequestPage.parse(await get('/input-requests?kind=question'));
      return page.input_requests.some((one) => one.job_id === id) && page;
    });
    const question = all.find((one) => one.job_id === id)?.id ?? '';
    await eventually(async () => asks > 1);
    expect(await answer(question, { action: 'accept', content: { size: 'm' } })).toMatchObject({ status: 410 });
    expect(await until(id, 'completed')).toMatchObject({ result: { data: { said: 'nobody' } } });
    expect(await shown(question)).toMatchObject({ state: 'expired' });
  });

  test('of a call that was cancelled is cancelled', async () => {
    const id = await begun(async ({ ask }) => (await ask('size', form)).action);
    const question = await asked(id);
    await gateway.send(`/jobs/${id}`, { method: 'DELETE', authorization: gateway.user });
    expect(await answer(question, { action: 'accept', content: { size: 'm' } })).toMatchObject({ status: 409 });
    expect(await shown(question)).toMatchObject({ state: 'cancelled' });
  });
});
