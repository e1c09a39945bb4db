// Budgets that bound a chat: a turn that is refused says so to a person, and a tool that is refused says so to the model.
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { callSums } from '#lib/contracts';
import { dayMs, eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { chat, pureChunks, scripted, startChatSystem, type ChatSystem } from '../chat-system.js';
import { inProcess } from '../in-process.js';
import { makeSkillFolder, type SkillFolder } from '../skill-folder.js';

const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const quotaShape = z.object({ conversations: z.object({ used: z.number() }) });

describe('budgets of a chat', () => {
  let lab: ChatSystem;
  let skills: SkillFolder;
  let admin: HttpCaller;
  beforeAll(async () => {
    skills = await makeSkillFolder();
    await skills.write('core', 'Core text.', ['calc_metrics']);
    lab = await startChatSystem({ inProcess, agentEnv: { SKILLS_DIR: skills.path } });
    admin = await lab.system.caller({ userId: null, tier: 'vip', scopes: ['tenant:admin'] });
  }, startTimeoutMs);
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
    await skills?.[Symbol.asyncDispose]();
  });

  const put = async (name: string, budget: object) => {
    const reply = await admin.request(`/budgets/${name}`, { method: 'PUT', json: { period: 'day', ...budget } });
    expect([200, 201]).toContain(reply.status);
  };
  const used = async (user: HttpCaller) => (await user.get('/chat/v5/quota')).as(quotaShape).conversations.used;

  test('refuse a message once they are used up, in words for a person, and take no conversation for it', async () => {
    const user = await lab.system.caller({ userId: 'bounded', tier: 'pro' });
    await put('turns', { user: 'bounded', tool: 'chat_turn', limit_calls: 1 });
    const message = scripted(lab.model, { text: 'Yes.' });
    expect((await chat(user, { message })).text).toContain('Yes.');
    const conversations = await used(user);

    const refused = await chat(user, { message });
    expect(refused.chunks).toEqual([]);
    const words =
      /budget 'turns' of your tenant is used up for this day: 1 of 1 calls are made. It begins anew at \S+; until then the chat answers no message/;
    expect(refused.error).toMatchObject({ type: 'quota_exceeded', tier: 'pro', message: expect.stringMatching(words) });
    expect(JSON.stringify(refused.error)).not.toMatch(/tell the user|try it again/);

    const ofSdk = { id: 'x', messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: message }] }], trigger: 'submit-message' };
    for (const [body, headers] of [
      [ofSdk, {}],
      [{ message }, { accept: 'application/json' }],
    ] as const) {
      const reply = await user.post('/chat/v5/stream', body, headers);
      expect(reply.status).toBe(429);
      expect(reply.body).toMatchObject({
        success: false,
        error: {
          code: 'QUOTA_EXCEEDED',
          budget: 'turns',
          retryable: false,
          resets_at: expect.any(String),
          message: expect.stringMatching(words),
        },
      });
    }
    // The model was asked nothing, and nothing counts.
    expect(lab.model.asked(message)).toHaveLength(1);
    expect(await used(user)).toBe(conversations);
    // Somebody else is not bounded by it.
    const other = await lab.system.caller({ userId: 'free of it', tier: 'pro' });
    expect((await chat(other, { message })).text).toContain('Yes.');
  });

  test('refuse a tool within a turn in words for the model, and the turn goes on', async () => {
    const user = await lab.system.caller({ userId: 'with tools', tier: 'pro' });
    await put('tools', { user: 'with tools', tool: 'calc_metrics', limit_calls: 1 });
    // Every gateway knows of it in a moment.
    const calls = [0, 1].map((more) => ({ name: 'calc_metrics', arguments: { ...metrics, age: metrics.age + more } }));
    const message = scripted(lab.model, ...calls.map((call) => ({ calls: [call], delayMs: 500 })), { text: 'The budget is used up.' });
    const { text, chunks } = await chat(user, { message });
    expect(text).toContain('The budget is used up.');
    expect(JSON.stringify(lab.model.asked(message).at(-1))).toMatch(/QUOTA_EXCEEDED.*tell the user so, and do not try it again before/);
    expect(chunks.some(({ type }) => type === 'error')).toBe(false);
  });

  test('see a turn and what it has called in the sums of its model and of its conversation', async () => {
    const user = await lab.system.caller({ userId: 'summed', tier: 'pro' });
    const conversation_id = randomUUID();
    const message = scripted(lab.model, { calls: [{ name: 'calc_metrics', arguments: { ...metrics, age: 55 } }] }, { text: 'Computed.' });
    expect((await chat(user, { message, conversation_id })).text).toContain('Computed.');
    expect((await chat(user, { message: scripted(lab.model, { text: 'Another.' }) })).text).toContain('Another.');
    const sums = async (query: string) => (await user.get(`/usage/calls?${query}`)).as(callSums).sums;
    const named = async () =>
      (await sums(`by=tool,model&conversation=${conversation_id}`)).map(({ tool_name, model }) => [tool_name, model]);
    // Each turn looks up who asks, where nothing has it cached.
    const expected = [
      ['calc_metrics', null],
      ['chat_turn', 'scripted'],
      ['user_profile_lookup', null],
    ];
    await eventually(async () => isDeepStrictEqual(await named(), expected), { what: 'the sums of the conversation' });
    await eventually(async () => (await sums('by=conversation')).length === 2, { what: 'a row for each conversation' });
    const [ofModel, ofNone] = await sums('by=model');
    expect(ofModel).toMatchObject({ model: 'scripted', calls: 2, output_tokens: 60 });
    expect(ofNone).toMatchObject({ model: null, input_tokens: 0 });
  });

  test('let messages through again when they begin anew, or are raised', async () => {
    const user = await lab.system.caller({ userId: 'patient', tier: 'pro' });
    await put('patience', { user: 'patient', tool: 'chat_turn', limit_calls: 1 });
    const message = scripted(lab.model, { text: 'Again.' });
    await chat(user, { message });
    await eventually(async () => (await chat(user, { message })).error !== undefined, { what: 'a message that is refused' });
    await put('patience', { user: 'patient', tool: 'chat_turn', limit_calls: 2 });
    await eventually(async () => (await chat(user, { message })).text.includes('Again.'), { what: 'a message under a raised budget' });
    await lab.system.clock.advance(dayMs);
    const sdk = { id: 'y', messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: message }] }], trigger: 'submit-message' };
    const later = await lab.system.caller({ userId: 'patient', tier: 'pro' });
    const reply = await later.post('/chat/v5/stream', sdk);
    expect(reply.status).toBe(200);
    expect(JSON.stringify(pureChunks(reply.text))).toContain('Again.');
  });
});
