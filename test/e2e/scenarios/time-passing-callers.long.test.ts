// What callers are promised for a time: tokens, quotas, a pause after failed authentications, a tool until its end, a guest's history.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { Client } from 'pg';
import { z } from 'zod';
import { dayMs, eventually, givenStores, HttpCaller, minuteMs, secondMs, startTimeoutMs, type System } from '#lib/testing';
import { chat, openChat, scripted, startChatSystem, type ChatSystem } from '../chat-system.js';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { verifies } from '../verifies.js';

const secret = 'a shared secret of more than thirty-two characters';
const issuer = 'https://shared.example';
/** Real time that a test may take between two moves of the clock. */
const marginMs = 20 * secondMs;
const newTicket = z.looseObject({ ticket: z.string() });
const answer = { query: 'why?', answer: 'because' };

describe('time passes for callers', () => {
  let lab: LabSystem;
  let system: System;

  beforeAll(async () => {
    lab = await startLabSystem({
      gatewayEnv: { JWT_ISSUER: issuer, JWT_SECRET: secret, TOOL_QUOTA_FREE: '3', AUTH_FAILURES_PER_MINUTE: '3' },
    });
    system = lab.system;
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  /** A token that ends at a moment, in whole seconds. */
  const tokenUntil = async (endsAt: number) =>
    new SignJWT({ tenant_id: system.tenant.id })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(issuer)
      .setAudience('invoq')
      .setSubject('user_001')
      .setExpirationTime(endsAt / secondMs)
      .sign(new TextEncoder().encode(secret));

  test('a token works until it expires, and a ticket that was got with it no longer', async () => {
    const endsAt = (Math.ceil(system.clock.now / secondMs) + 3_600) * secondMs;
    const user = new HttpCaller(system.gateway.url, await tokenUntil(endsAt));
    await system.clock.advanceTo(endsAt - marginMs);
    expect((await user.get('/tools')).status).toBe(200);
    const tickets = await Promise.all([1, 2].map(async () => (await user.post('/tickets', {})).as(newTicket).ticket));
    const redeem = (ticket = '') =>
      system.anonymous.get(`/tools/lab_steps/sse?order=token&steps=1&step_ms=0&ticket=${ticket}`, { accept: 'text/event-stream' });
    expect((await redeem(tickets[0])).status).toBe(200);
    // The clocks of issuer and gateway may differ by five seconds.
    await system.clock.advanceTo(endsAt + 6 * secondMs);
    expectRefusal(await user.get('/tools'), { status: 401, code: 'UNAUTHORIZED' });
    expectRefusal(await redeem(tickets[1]), { status: 401, code: 'UNAUTHORIZED' });
  });

  verifies(['TU-123'], 'calls of a day are counted until midnight in UTC, and anew after it', async () => {
    const user = await system.caller({ userId: 'daily', tier: 'free' });
    const midnight = Math.ceil((system.clock.now + 5 * minuteMs) / dayMs) * dayMs;
    await system.clock.advanceTo(midnight - 2 * minuteMs);
    for (let count = 0; count < 3; count++) expectSuccess((await user.call('lab_answer', answer)).envelope);
    const { error } = expectRefusal(await user.call('lab_answer', answer), { status: 429, code: 'QUOTA_EXCEEDED' });
    expect(error).toMatchObject({ resets_at: new Date(midnight).toISOString() });
    await system.clock.advanceTo(midnight - marginMs);
    expectRefusal(await user.call('lab_answer', answer), { status: 429, code: 'QUOTA_EXCEEDED' });
    await system.clock.advanceTo(midnight + 1);
    for (let count = 0; count < 3; count++) expectSuccess((await user.call('lab_answer', answer)).envelope);
    expectRefusal(await user.call('lab_answer', answer), { status: 429, code: 'QUOTA_EXCEEDED' });
  });

  test('an address that failed to authenticate too often waits for a minute, and not longer', async () => {
    const guess = () => new HttpCaller(system.gateway.url, 'no-key').get('/tools');
    await system.clock.advance(2 * minuteMs);
    for (let count = 0; count < 3; count++) expectRefusal(await guess(), { status: 401, code: 'UNAUTHORIZED' });
    expectRefusal(await guess(), { status: 429, code: 'RATE_LIMITED' });
    await system.clock.advance(minuteMs - marginMs);
    expectRefusal(await guess(), { status: 429, code: 'RATE_LIMITED' });
    await system.clock.advance(marginMs);
    expectRefusal(await guess(), { status: 401, code: 'UNAUTHORIZED' });
  });

  test('a tool with a sunset date is served until that date begins in UTC, and refused from then on', async () => {
    const user = await system.caller();
    const sunset = Date.UTC(2099, 11, 31);
    await system.clock.advanceTo(sunset - marginMs);
    const last = await user.call('lab_sunset', { word: 'dusk' });
    expectSuccess(last.envelope);
    expect(Date.parse(last.headers.get('sunset') ?? '')).toBe(sunset);
    await system.clock.advanceTo(sunset);
    expectRefusal(await user.call('lab_sunset', { word: 'dusk' }), { status: 410, code: 'TOOL_DEPRECATED' });
  });
});

describe('time passes for guests', () => {
  const zone = 'Pacific/Auckland';
  let lab: ChatSystem;

  beforeAll(async () => {
    lab = await startChatSystem({ gatewayEnv: { QUOTA_TZ: zone, GUEST_CHATS_PER_DAY: '5' } });
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  const path = '/chat/v5/guest/stream';
  const say = (guest: HttpCaller, text: string, conversationId?: string) => {
    const message = scripted(lab.model, { text });
    return chat(guest, { message, ...(conversationId !== undefined && { conversation_id: conversationId }) }, path).then((said) => ({
      ...said,
      asked: lab.model.asked(message)[0]?.texts ?? [],
    }));
  };
  const timeIn = (at: number) => new Date(at).toLocaleTimeString('en-GB', { timeZone: zone });
  /** The next midnight of the zone. */
  const nextMidnight = () => {
    let at = Math.ceil(lab.system.clock.now / (30 * minuteMs)) * 30 * minuteMs;
    while (timeIn(at) !== '00:00:00') at += 30 * minuteMs;
    return at;
  };

  verifies(['VL-36'], 'a conversation is remembered for an hour after its last message, and not longer', async () => {
    // All of it is within one day.
    await lab.system.clock.advanceTo(nextMidnight() + minuteMs);
    const first = await say(lab.system.anonymous, 'First answer.');
    const cookie = (first.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const guest = lab.system.anonymous.with({ cookie });
    await lab.system.clock.advance(60 * minuteMs - marginMs);
    expect((await say(guest, 'Second answer.', first.conversationId)).asked).toContain('First answer.');
    // The second message began a new hour.
    await lab.system.clock.advance(60 * minuteMs - marginMs);
    expect((await say(guest, 'Third answer.', first.conversationId)).asked).toContain('First answer.');
    await lab.system.clock.advance(60 * minuteMs + 1);
    const { asked, text } = await say(guest, 'Fourth answer.', first.conversationId);
    expect(text).toBe('Fourth answer.');
    expect(asked.join()).not.toMatch(/First|Second|Third/);
  });

  test('the conversations of a day are counted until midnight of the zone, and anew after it', async () => {
    const midnight = nextMidnight();
    await lab.system.clock.advanceTo(midnight + minuteMs);
    for (let count = 0; count < 5; count++) expect((await say(lab.system.anonymous, 'Yes.')).text).toBe('Yes.');
    expect((await say(lab.system.anonymous, 'Yes.')).error).toMatchObject({ type: 'quota_exceeded' });
    await lab.system.clock.advanceTo(nextMidnight() - marginMs);
    expect((await say(lab.system.anonymous, 'Yes.')).error).toMatchObject({ type: 'quota_exceeded' });
    await lab.system.clock.advance(marginMs);
    expect((await say(lab.system.anonymous, 'Yes.')).text).toBe('Yes.');
  });

  test('a conversation of a user that nobody has written to for CONVERSATION_DAYS is deleted, and no other', async () => {
    const user = await lab.system.caller();
    const [old, young] = [await chat(user, { message: 'old' }), await chat(user, { message: 'young' })];
    const client = new Client({ connectionString: givenStores().databaseUrl });
    await client.connect();
    // A hundred years ago, for other tests have conversations in the database that must stay.
    await client.query("UPDATE conversation SET updated_at = now() - interval '36501 days' WHERE id = $1", [old.conversationId]);
    await client.end();
    const statusOf = async (id: string) => (await user.get(`/chat/v5/conversations/${id}`)).status;
    expect(await statusOf(old.conversationId)).toBe(200);
    for (const agent of lab.agents) {
      await agent.stop();
      await agent.start({ CONVERSATION_DAYS: '36500' });
    }
    await eventually(async () => (await statusOf(old.conversationId)) === 404, { what: 'the end of the old conversation' });
    expect(await statusOf(young.conversationId)).toBe(200);
  });
});

describe('time passes for an agent', () => {
  const held: IncomingMessage[] = [];
  let gateway: Server;
  let lab: ChatSystem;

  beforeAll(async () => {
    // What the agent asks of the gateway stays open here, so that its turn goes on.
    gateway = createServer((request) => void held.push(request)).listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    const address = gateway.address();
    if (typeof address !== 'object' || !address) throw new Error('the stand-in of the gateway does not listen');
    lab = await startChatSystem({ agentEnv: { INVOQ_URL: `http://127.0.0.1:${address.port}` } });
  }, startTimeoutMs);
  afterAll(async () => {
    gateway.closeAllConnections();
    gateway.close();
    await lab?.[Symbol.asyncDispose]();
  });

  test('the credential of a turn works for 310 s, and not longer', async () => {
    const { system, model } = lab;
    const message = scripted(model, {
      calls: [
        { name: 'show_report', arguments: {} },
        { name: 'calc_metrics', arguments: {} },
      ],
    });
    const begunAt = system.clock.now;
    await using _chat = await openChat(await system.caller(), { message });
    await eventually(() => held.length > 0, { what: 'a call of a tool' });
    const heldAt = system.clock.now;
    const agent = new HttpCaller(system.gateway.url, /^Bearer (turn_.+)/.exec(held[0]?.headers.authorization ?? '')?.[1] ?? '');
    // Nobody ends the turn now: its credential ends by its own time.
    for (const one of lab.agents) await one.kill();
    await system.clock.advanceTo(begunAt + 310 * secondMs - marginMs);
    expect((await agent.get('/tools')).status).toBe(200);
    await system.clock.advanceTo(heldAt + 310 * secondMs + 1);
    expectRefusal(await agent.get('/tools'), { status: 401, code: 'UNAUTHORIZED' });
  });
});
