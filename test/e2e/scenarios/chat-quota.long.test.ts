import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, minuteMs, secondMs, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { z } from 'zod';
import { chat, openChat, scripted, startChatSystem, type ChatSystem } from '../chat-system.js';
import { verifies } from '../verifies.js';

const quotaShape = z.object({
  tier: z.string(),
  conversations: z.object({ used: z.number(), limit: z.number().nullable() }),
  tokens: z.object({ used: z.number(), limit: z.number().nullable() }),
  resets_at: z.iso.datetime(),
});

describe('the chat quota', () => {
  let lab: ChatSystem;
  let users = 0;
  const newUser = (tier: 'free' | 'pro' | 'vip') => lab.system.caller({ userId: `quota_${++users}`, tier });
  const quotaOf = async (user: HttpCaller) => (await user.get('/chat/v5/quota')).as(quotaShape);
  const isSpent = (error: unknown) => z.object({ type: z.literal('quota_exceeded') }).safeParse(error).success;

  beforeAll(async () => {
    lab = await startChatSystem({ gateways: 2 });
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  verifies(['VL-21', 'VL-25', 'VL-34', 'VL-20'], 'lets exactly ten of twenty messages at once through for a free user', async () => {
    const user = await newUser('free');
    const message = scripted(lab.model, { text: 'Yes.', usage: { input: 11, output: 2 } });
    const at = (turn: number) => user.at(lab.system.gateways[turn % 2]?.url ?? '');
    const chats = await Promise.all(Array.from({ length: 20 }, (_, turn) => chat(at(turn), { message })));
    const refused = chats.filter(({ error }) => isSpent(error));
    expect(refused).toHaveLength(10);
    expect(chats.filter(({ text }) => text === 'Yes.')).toHaveLength(10);
    expect(refused[0]?.events).toEqual([
      { event: 'error', id: '', data: { type: 'quota_exceeded', message: '今日对话次数已用完', tier: 'free' } },
    ]);
    expect(lab.model.asked(message)).toHaveLength(10);
    await eventually(async () => (await quotaOf(user)).tokens.used === 130);
    expect(await quotaOf(user)).toMatchObject({ tier: 'free', conversations: { used: 10, limit: 10 }, tokens: { limit: 50_000 } });
  });

  verifies(
    ['VL-20', 'VL-21'],
    'counts the tokens of every call of the model, those of sub-agents too, and stops at the limit',
    async () => {
      const user = await newUser('free');
      const message = `tokens ${Date.now()}`;
      lab.model.on(
        message,
        { calls: [{ name: 'use_skill', arguments: { skills: ['bazi', 'zodiac'], topic: 'self' } }], usage: { input: 10_000, output: 1 } },
        { text: 'Fused.', usage: { input: 10_000, output: 2 } },
      );
      lab.model.on(({ system, texts }) => system.includes('只从技能') && texts.includes(message), {
        text: 'x',
        usage: { input: 14_000, output: 998 },
      });
      await chat(user, { message });
      await eventually(async () => (await quotaOf(user)).tokens.used === 49_999);
      const last = scripted(lab.model, { text: 'One more.', usage: { input: 5_000, output: 1 } });
      expect((await chat(user, { message: last })).text).toBe('One more.');
      await eventually(async () => (await quotaOf(user)).tokens.used === 55_000);
      const over = await chat(user, { message: last });
      expect(over.error).toMatchObject({ type: 'quota_exceeded', message: '今日 Token 用量已用完' });
      expect((await quotaOf(user)).conversations.used).toBe(2);
    },
  );

  verifies(['VL-22', 'VL-23'], 'is a hundred for pro and none for vip', async () => {
    const acceptedOf = async (user: HttpCaller, times: number, input: number) => {
      const message = scripted(lab.model, { text: 'Yes.', usage: { input, output: 10 } });
      let accepted = 0;
      for (let turn = 0; turn < times; turn += 15) {
        const chats = await Promise.all(Array.from({ length: 15 }, () => chat(user, { message })));
        accepted += chats.filter(({ text }) => text === 'Yes.').length;
      }
      return accepted;
    };
    const vip = await newUser('vip');
    expect(await acceptedOf(vip, 120, 4_990)).toBe(120);
    await eventually(async () => (await quotaOf(vip)).tokens.used === 600_000);
    const pro = await newUser('pro');
    expect(await acceptedOf(pro, 105, 90)).toBe(100);
    expect(await quotaOf(pro)).toMatchObject({ conversations: { used: 100, limit: 100 }, tokens: { limit: 500_000 } });
    expect(await quotaOf(vip)).toMatchObject({ conversations: { used: 120, limit: null }, tokens: { limit: null } });
  });

  verifies(['VL-20', 'VL-33'], 'refuses an AI SDK client and a JSON client with 429 before any stream', async () => {
    const user = await newUser('free');
    const message = scripted(lab.model, { text: 'Yes.' });
    for (let turn = 0; turn < 10; turn++) await chat(user, { message });
    for (const [body, headers] of [
      [{ id: 'x', messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: message }] }], trigger: 'submit-message' }, {}],
      [{ message }, { accept: 'application/json' }],
    ] as const) {
      const reply = await user.post('/chat/v5/stream', body, headers);
      expect(reply.status).toBe(429);
      expect(reply.headers.get('retry-after')).toBeNull();
      expect(reply.body).toMatchObject({
        success: false,
        error: { code: 'QUOTA_EXCEEDED', native_code: 'quota_exceeded', tier: 'free', retryable: false },
      });
    }
    expect(lab.model.asked(message)).toHaveLength(10);
  });

  verifies(['VL-33'], 'gives a conversation back that failed for a fault of ours before anything was said', async () => {
    const user = await newUser('free');
    const { id } = (await user.post('/chat/v5/stream', { message: '' })).as(z.looseObject({ id: z.string().optional() }));
    expect(id).toBeUndefined();
    expect((await quotaOf(user)).conversations.used).toBe(0);
    await using stream = await openChat(user, {
      message: scripted(lab.model, { text: 'a', delayMs: 500 }),
      conversation_id: crypto.randomUUID(),
    });
    const conversation = stream.headers.get('x-conversation-id');
    expect((await user.post('/chat/v5/stream', { message: 'another', conversation_id: conversation })).status).toBe(409);
    expect((await quotaOf(user)).conversations.used).toBe(1);
  });
});

describe('the day of the chat quota', () => {
  const zones = ['Asia/Shanghai', 'America/New_York'];
  let lab: ChatSystem;
  beforeAll(async () => {
    lab = await startChatSystem({ gateways: zones.length, gatewayEnv: (index) => ({ QUOTA_TZ: zones[index] ?? '' }) });
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  test.each(zones.map((zone, index) => ({ zone, index })))('ends at midnight in $zone, not earlier or later', async ({ zone, index }) => {
    const { clock, gateways } = lab.system;
    const user = (await lab.system.caller({ userId: `midnight_${index}`, tier: 'free' })).at(gateways[index]?.url ?? '');
    const quota = async () => (await user.get('/chat/v5/quota')).as(quotaShape);
    const message = scripted(lab.model, { text: 'Yes.' });
    for (let turn = 0; turn < 10; turn++) expect((await chat(user, { message })).text).toBe('Yes.');
    const { resets_at: resetsAt } = await quota();
    const midnight = Date.parse(resetsAt);
    expect(new Date(midnight).toLocaleTimeString('en-GB', { timeZone: zone })).toBe('00:00:00');
    expect(midnight - clock.now).toBeGreaterThan(0);
    await clock.advanceTo(midnight - minuteMs);
    expect(await quota()).toMatchObject({ conversations: { used: 10 }, resets_at: resetsAt });
    expect((await chat(user, { message })).error).toMatchObject({ type: 'quota_exceeded' });
    await clock.advanceTo(midnight + secondMs);
    expect((await quota()).conversations.used).toBe(0);
    expect((await chat(user, { message })).text).toBe('Yes.');
    expect((await quota()).conversations.used).toBe(1);
  });
});
