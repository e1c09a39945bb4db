// Approvals and questions in the chat stream: the chats of the real packages of the AI SDK, 6 and 7, and 5, which knows no approvals.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as ai6 from 'ai6';
import { z } from 'zod';
import { defineTool, inputRequestPage, userScopes } from '#lib/contracts';
import { eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { handle, serve, type ServedWorker } from '#lib/serve';
import { openChat, scripted, startChatSystem, type ChatSystem } from '../chat-system.js';
import { callIn, callsIn, chat5, chat6, chat7, textIn, type Place } from '../page-chats.js';
import { makeSkillFolder, type SkillFolder } from '../skill-folder.js';

const common = {
  version: '1.0.0',
  title: 'Order',
  domain: 'own-sales',
  effect: 'write',
  input: z.strictObject({ thing: z.string().describe('What is ordered.') }),
  output: z.strictObject({ ordered: z.string() }),
  errors: {},
  timeoutMs: 20_000,
  estimatedTokens: 10,
  examples: [{ input: { thing: 'tea' }, output: { ordered: 'tea' } }],
} as const;
const hour = 3_600_000;
/** What was ordered. */
const orders: string[] = [];
const order = handle(
  defineTool({
    ...common,
    name: 'order_thing',
    description: 'Order one thing.',
    approval: { message: 'May it be ordered?', self: true, expires_ms: hour },
  }),
  ({ thing }) => {
    orders.push(thing);
    return { ordered: thing };
  },
);
const others = handle(
  defineTool({ ...common, name: 'order_for_others', description: 'Order, as somebody else allows.', approval: { expires_ms: hour } }),
  ({ thing }) => ({ ordered: thing }),
);
const brief = handle(
  defineTool({ ...common, name: 'order_at_once', description: 'Order within a second.', approval: { expires_ms: 1_000 } }),
  ({ thing }) => ({ ordered: thing }),
);
const asking = handle(
  defineTool({ ...common, name: 'ask_and_order', description: 'Order once the caller has said how many.' }),
  async ({ thing }, { ask }) => {
    const said = await ask('how many', { message: 'How many?', schema: z.object({ count: z.int() }) });
    return { ordered: said.action === 'accept' ? `${said.content.count} ${thing}` : said.action };
  },
);

let lab: ChatSystem;
let skills: SkillFolder;
let worker: ServedWorker;
let place: Place;
let user: HttpCaller;
let boss: HttpCaller;
const scopes = [...userScopes, 'approvals'];

beforeAll(async () => {
  skills = await makeSkillFolder();
  await skills.write('core', 'Core text.', ['order_thing', 'order_for_others', 'order_at_once', 'ask_and_order']);
  lab = await startChatSystem({ agentEnv: { SKILLS_DIR: skills.path } });
  const { tenant, gateway } = lab.system;
  const serving = Promise.withResolvers<void>();
  worker = serve({
    tools: [order, others, brief, asking],
    url: gateway.url,
    key: await tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true }),
    domain: 'sales',
    stopsOnSignal: false,
    onEvent: (event) => event.kind === 'serving' && event.tools.length === 4 && serving.resolve(),
  });
  await Promise.race([serving.promise, worker.stopped]);
  const key = await tenant.key({ tier: 'vip', scopes });
  place = { api: `${gateway.url}/chat/v5/stream`, headers: { authorization: `Bearer ${key}` } };
  user = await lab.system.caller({ tier: 'vip', scopes });
  boss = await lab.system.caller({ userId: 'boss', scopes });
}, startTimeoutMs);
afterAll(async () => {
  await worker?.stop();
  await lab?.[Symbol.asyncDispose]();
  await skills?.[Symbol.asyncDispose]();
});

/** The model calls a tool, and then says how it went. */
const calling = (name: string, thing: string) =>
  scripted(lab.model, { text: 'I order. ', calls: [{ name, arguments: { thing } }] }, { text: 'Told.' });

describe.each([
  ['6', chat6],
  ['7', chat7],
])('the chat of the AI SDK %s', (version, open) => {
  test('asks for the approval, and goes on in the same message with what came of it', async () => {
    const chat = open(place, `approve-${version}`);
    await chat.send(calling('order_thing', `tea ${version}`));
    expect(callIn(chat)).toMatchObject({ type: 'tool-order_thing', state: 'approval-requested' });
    expect(chat.status).toBe('ready');
    expect(orders).not.toContain(`tea ${version}`);
    await chat.respond?.(callIn(chat)?.approval?.id ?? '', true);
    await eventually(() => textIn(chat).includes('Told.'), { what: 'the end of the answer' });
    expect(callIn(chat)).toMatchObject({ state: 'output-available', output: { ordered: `tea ${version}` } });
    expect(textIn(chat)).toBe('I order. |Told.');
    expect(chat.messages).toHaveLength(2);
    expect(orders.filter((thing) => thing === `tea ${version}`)).toHaveLength(1);
    expect(chat.error).toBeUndefined();
  });

  test('shows a call that was declined as denied, and the model knows why', async () => {
    const chat = open(place, `decline-${version}`);
    const message = calling('order_thing', `gin ${version}`);
    await chat.send(message);
    await chat.respond?.(callIn(chat)?.approval?.id ?? '', false, 'too strong');
    await eventually(() => textIn(chat).includes('Told.'), { what: 'the end of the answer' });
    expect(callIn(chat)).toMatchObject({ state: 'output-denied' });
    expect(orders).not.toContain(`gin ${version}`);
    expect(JSON.stringify(lab.model.asked(message).at(-1))).toContain('too strong');
    expect(chat.error).toBeUndefined();
  });

  test('is not asked what others decide: the answer goes on by itself once they have', async () => {
    const chat = open(place, `others-${version}`);
    const message = calling('order_for_others', `desk ${version}`);
    await chat.send(message);
    expect(callIn(chat)).toMatchObject({ state: 'input-available' });
    expect(chat.messages.at(-1)?.parts).toContainEqual(
      expect.objectContaining({ type: 'data-input-request', data: expect.objectContaining({ kind: 'approval', mayAccept: false }) }),
    );
    const { input_requests: open_ } = (await boss.get('/input-requests?state=open&tool=order_for_others')).as(inputRequestPage);
    await boss.post(`/input-requests/${open_[0]?.id}`, { action: 'accept' });
    await eventually(() => lab.model.asked(message).length === 2, { what: 'the next question to the model' });
    expect(JSON.stringify(lab.model.asked(message).at(-1))).toContain(`desk ${version}`);
  });

  test('tells a question, which is answered elsewhere', async () => {
    const chat = open(place, `question-${version}`);
    const message = calling('ask_and_order', `cups ${version}`);
    await chat.send(message);
    const part = chat.messages.at(-1)?.parts.find(({ type }) => type === 'data-input-request');
    expect(part).toMatchObject({ data: { kind: 'question', message: 'How many?', mayAccept: true, schema: { required: ['count'] } } });
    const { id } = z.looseObject({ data: z.looseObject({ id: z.string() }) }).parse(part).data;
    expect((await user.post(`/input-requests/${id}`, { action: 'accept', content: { count: 3 } })).status).toBe(200);
    await eventually(() => lab.model.asked(message).length === 2, { what: 'the next question to the model' });
    expect(JSON.stringify(lab.model.asked(message).at(-1))).toContain(`3 cups ${version}`);
  });

  test('goes on when nobody has decided in time, or the call was cancelled', async () => {
    const late = calling('order_at_once', `bread ${version}`);
    const cancelled = calling('order_for_others', `lamp ${version}`);
    await Promise.all([open(place, `late-${version}`).send(late), open(place, `cancelled-${version}`).send(cancelled)]);
    const { input_requests: left } = (await user.get('/input-requests?state=open&tool=order_for_others')).as(inputRequestPage);
    expect((await user.delete(`/jobs/${left[0]?.job_id}`)).status).toBe(202);
    await eventually(() => lab.model.asked(cancelled).length === 2, { what: 'the next question to the model' });
    expect(JSON.stringify(lab.model.asked(cancelled).at(-1))).toContain('CANCELLED');
    await eventually(() => lab.model.asked(late).length === 2, { what: 'the next question to the model', withinMs: 10_000 });
    expect(JSON.stringify(lab.model.asked(late).at(-1))).toContain('TIMEOUT');
  });

  test('asks for two at once, and goes on with both', async () => {
    const chat = open(place, `two-${version}`);
    const calls = ['pen', 'ink'].map((thing) => ({ name: 'order_thing', arguments: { thing: `${thing} ${version}` } }));
    const insight = { name: 'show_insight', arguments: { title: 'Rest', content: 'Sleep well.' } };
    await chat.send(scripted(lab.model, { calls: [...calls, insight] }, { text: 'Told.' }));
    const parts = callsIn(chat);
    expect(parts.map(({ state }) => state)).toEqual(['approval-requested', 'approval-requested', 'output-available']);
    for (const [index, { approval }] of parts.slice(0, 2).entries()) await chat.respond?.(approval?.id ?? '', index === 0);
    await eventually(() => textIn(chat).includes('Told.'), { what: 'the end of the answer' });
    expect(callsIn(chat).map(({ state }) => state)).toEqual(['output-available', 'output-denied', 'output-available']);
    expect(orders.filter((thing) => thing === `pen ${version}` || thing === `ink ${version}`)).toEqual([`pen ${version}`]);
  });

  test('takes another message while the answer waits', async () => {
    const chat = open(place, `another-${version}`);
    await chat.send(calling('order_for_others', `sofa ${version}`));
    const other = scripted(lab.model, { text: 'Of course.' });
    await chat.send(other);
    expect(textIn(chat)).toContain('Of course.');
    expect(JSON.stringify(lab.model.asked(other).at(-1))).toContain('waiting');
  });
});

describe('the chat of the AI SDK 5', () => {
  test('says that it takes no requests, and is told of them as data', async () => {
    const chat = chat5({ ...place, headers: { ...place.headers, 'x-stream-protocol': 'ai-sdk-5' } }, 'five');
    const message = calling('order_thing', 'tea 5');
    await chat.send(message);
    expect(chat.error).toBeUndefined();
    expect(callIn(chat)).toMatchObject({ state: 'input-available' });
    const part = chat.messages.at(-1)?.parts.find(({ type }) => type === 'data-input-request');
    const { id } = z.looseObject({ data: z.looseObject({ id: z.string() }) }).parse(part).data;
    expect((await user.post(`/input-requests/${id}`, { action: 'accept' })).status).toBe(200);
    await eventually(() => lab.model.asked(message).length === 2, { what: 'the next question to the model' });
    expect(orders).toContain('tea 5');
  });
});

describe('a chat that waits', () => {
  test('is resumed up to where it waits, with the request', async () => {
    const chat = chat6(place, 'resumed');
    await chat.send(calling('order_thing', 'jam'));
    const stream = await new ai6.DefaultChatTransport(place).reconnectToStream({ chatId: 'resumed' });
    if (!stream) throw new Error('There is nothing to resume');
    const parts: unknown[] = [];
    for await (const message of ai6.readUIMessageStream({ stream })) parts.splice(0, parts.length, ...message.parts);
    expect(parts).toContainEqual(expect.objectContaining({ type: 'tool-order_thing', state: 'approval-requested' }));
  });

  test('is stopped, and what it asked for is not asked any more', async () => {
    const message = calling('order_thing', 'rum');
    const reader = await openChat(user, { message });
    const chunks = await reader.rest();
    expect(JSON.stringify(chunks)).toContain('data-input-request');
    const conversationId = reader.headers.get('x-conversation-id') ?? '';
    expect((await user.post(`/chat/v5/stream/${conversationId}/stop`, undefined)).status).toBe(202);
    const { input_requests: left } = (await user.get('/input-requests?state=open&tool=order_thing')).as(inputRequestPage);
    expect(left.filter(({ arguments: asked }) => asked?.['thing'] === 'rum')).toEqual([]);
    expect(orders).not.toContain('rum');
  });

  test('takes no answer to what it has not asked, and none of somebody else', async () => {
    const chat = chat6(place, 'foreign');
    await chat.send(calling('order_thing', 'oil'));
    const approval = { id: callIn(chat)?.approval?.id ?? '', approved: true };
    const answering = (id: string, given: object) => ({
      id,
      messages: [
        { role: 'assistant', parts: [{ type: 'tool-order_thing', toolCallId: 'c', state: 'approval-responded', approval: given }] },
      ],
    });
    const post = async (by: HttpCaller, body: object) => by.post('/chat/v5/stream', body);
    expect(await post(boss, answering('foreign', approval))).toMatchObject({ status: 409 });
    expect(await post(user, answering('foreign', { ...approval, id: crypto.randomUUID() }))).toMatchObject({ status: 400 });
    expect(orders).not.toContain('oil');
  });
});
