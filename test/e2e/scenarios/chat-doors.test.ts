import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { envelopeShape, eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { z } from 'zod';
import { chat, openChat, pureChunks, readChat, scripted, startChatSystem, textOf, type ChatSystem } from '../chat-system.js';
import { makeSkillFolder, type SkillFolder } from '../skill-folder.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

const conversationShape = z.object({
  conversation_id: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.string(), state: z.string().optional() })),
});
const aiBody = (id: string, ...texts: readonly string[]) => ({
  id,
  messages: texts.map((text, index) => ({ id: `m${index}`, role: index % 2 ? 'assistant' : 'user', parts: [{ type: 'text', text }] })),
  trigger: 'submit-message',
});

describe('the chat doors', () => {
  let lab: ChatSystem;
  let user: HttpCaller;
  let other: HttpCaller;
  let skills: SkillFolder;

  beforeAll(async () => {
    skills = await makeSkillFolder();
    lab = await startChatSystem({
      inProcess,
      gateways: 2,
      gatewayEnv: { QUOTA_TZ: 'Asia/Shanghai', GUEST_CHATS_PER_DAY: '5' },
      agentEnv: { SKILLS_DIR: skills.path, HISTORY_TOKENS: '300' },
    });
    user = await lab.system.caller({ tier: 'vip' });
    other = await lab.system.caller({ userId: 'user_other' });
  }, startTimeoutMs);
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
    await skills?.[Symbol.asyncDispose]();
  });
  const atSecond = (caller: HttpCaller) => caller.at(lab.system.gateways[1]?.url ?? '');

  verifies(['VL-30', 'VL-31'], 'take a message with a credential, and say what is wrong with one that they do not take', async () => {
    const message = scripted(lab.model, { text: 'Hello.' });
    for (const prefix of ['', '/api', '/api/v1']) {
      const said = await chat(user, { message }, `${prefix}/chat/v5/stream`);
      expect(said.text).toBe('Hello.');
      expect(said.headers.get('content-type')).toMatch(/^text\/event-stream/);
      expect(said.chunks[0]).toMatchObject({
        type: 'start',
        messageMetadata: { conversationId: said.conversationId, traceId: said.headers.get('x-trace-id') },
      });
      expect(z.guid().safeParse(said.conversationId).success).toBe(true);
    }
    const asked = lab.model.requests.length;
    for (const [body, path] of [
      [{}, 'message'],
      [{ message: '' }, 'message'],
      [{ message: '  \n ' }, 'message'],
      [{ message: 7 }, 'message'],
      [{ message: 'x'.repeat(16_001) }, 'message'],
      [{ message: 'a', conversation_id: 'not-a-uuid' }, 'conversation_id'],
      [{ message: 'a', mode: 'wild' }, 'mode'],
      [{ id: 'x', messages: [] }, 'messages'],
      [{ id: 'x', messages: [{ role: 'assistant', parts: [] }] }, 'messages'],
      [{ id: 'x', messages: [{ role: 'user', parts: [{ type: 'file', url: 'data:,' }] }] }, 'messages'],
      [[], ''],
    ] as const) {
      const reply = await user.post('/chat/v5/stream', body);
      expect([body, reply.status]).toEqual([body, 400]);
      expect(reply.as(envelopeShape)).toMatchObject({ success: false, error: { code: 'INVALID_PARAMS', details: [{ path }] } });
    }
    const unknown = await lab.system.anonymous.post('/chat/v5/stream', { message });
    expect([unknown.status, unknown.as(envelopeShape).error?.code]).toEqual([401, 'UNAUTHORIZED']);
    expect((await user.post('/tools/chat_turn', { message })).status).toBe(404);
    expect(lab.model.requests).toHaveLength(asked);
  });

  verifies(['VL-30'], "keep each caller's conversations to themselves", async () => {
    const message = scripted(lab.model, { text: 'Mine.' });
    const { conversationId } = await chat(user, { message });
    const foreign = await other.post('/chat/v5/stream', { message: 'Hi', conversation_id: conversationId });
    expect([foreign.status, foreign.as(envelopeShape).error?.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    expect((await other.get(`/chat/v5/conversations/${conversationId}`)).status).toBe(404);
    expect((await user.get(`/chat/v5/conversations/${randomUUID()}`)).status).toBe(404);
    expect(JSON.stringify((await other.get('/chat/v5/conversations')).body)).not.toContain(conversationId);
    const list = z.object({ conversations: z.array(z.looseObject({ conversation_id: z.string(), title: z.string() })) });
    expect((await user.get('/chat/v5/conversations')).as(list).conversations).toContainEqual(
      expect.objectContaining({ conversation_id: conversationId, title: message.slice(0, 80) }),
    );
    expect((await user.get(`/chat/v5/conversations/${conversationId}`)).as(conversationShape).messages).toMatchObject([
      { role: 'user', content: message },
      { role: 'assistant', content: 'Mine.', state: 'completed' },
    ]);
  });

  verifies(['VL-26', 'VL-30'], 'speak the pure dialect to an AI SDK client, whose own chat id is the conversation', async () => {
    const id = `chat-${Date.now()}`;
    const message = scripted(lab.model, { text: ['Pure', ' words.'] });
    const reply = await user.post('/chat/v5/stream', aiBody(id, message));
    expect(reply.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    const chunks = pureChunks(reply.text);
    expect(textOf(chunks)).toBe('Pure words.');
    expect(reply.text).not.toMatch(/textDelta|^event:/m);
    const second = scripted(lab.model, { text: 'Again.' });
    await user.post('/chat/v5/stream', aiBody(id, message, 'Pure words.', second));
    expect(lab.model.asked(second)[0]?.texts.slice(1)).toEqual([message, 'Pure words.', second]);
    const single = scripted(lab.model, { text: 'Single.' });
    const last = await user.post('/chat/v5/stream', { id, message: { role: 'user', parts: [{ type: 'text', text: single }] } });
    expect(textOf(pureChunks(last.text))).toBe('Single.');
    expect(lab.model.asked(single)[0]?.texts).toContain('Again.');
    const asked = await user.post('/chat/v5/stream', { ...aiBody(id, single), trigger: 'regenerate-message' });
    expect(textOf(pureChunks(asked.text))).toBe('Single.');
    const { messages } = (await user.get(`/chat/v5/conversations/${id}`)).as(conversationShape);
    expect(messages.map(({ content }) => content)).toEqual([message, 'Pure words.', second, 'Again.', single, 'Single.']);
  });

  test('answer a client that reads only JSON with one envelope', async () => {
    const message = scripted(lab.model, { text: 'In one piece.' });
    const reply = await user.post('/chat/v5/stream', { message }, { accept: 'application/json' });
    expect(reply.as(envelopeShape)).toMatchObject({ success: true, data: { content: 'In one piece.', finish_reason: 'stop' } });
  });

  verifies(['VL-03'], 'replay a running turn from its beginning at another gateway, and have nothing to resume after its end', async () => {
    const message = scripted(lab.model, { text: ['one ', 'two ', 'three ', 'four'], pieceMs: 1_000 });
    const conversation_id = randomUUID();
    const first = await openChat(user, { message, conversation_id });
    const seen = await first.take(5);
    first.close();
    const path = `/chat/v5/stream/${conversation_id}/stream`;
    await using second = await atSecond(user).stream(path);
    const replayed = readChat(second.headers, await second.rest());
    expect(replayed.text).toBe('one two three four');
    expect(replayed.events.slice(0, 4)).toEqual(seen.slice(0, 4));
    expect(replayed.conversationId).toBe(conversation_id);
    for (const caller of [user, other]) expect((await caller.get(path)).status).toBe(204);
    expect(lab.model.asked(message)).toHaveLength(1);
  });

  test('stop a running turn from anywhere, keep what it said, and leave the model', async () => {
    const message = scripted(lab.model, { text: ['said ', ...Array.from({ length: 100 }, () => 'more ')], pieceMs: 100 });
    const conversation_id = randomUUID();
    await using stream = await openChat(user, { message, conversation_id });
    for (let event = await stream.next(); event; event = await stream.next()) if (JSON.stringify(event.data).includes('said')) break;
    expect((await other.post(`/chat/v5/stream/${conversation_id}/stop`, {})).status).toBe(204);
    expect((await atSecond(user).post(`/chat/v5/stream/${conversation_id}/stop`, {})).status).toBe(202);
    const rest = await stream.rest();
    expect(rest.at(-1)?.data).toEqual({ type: 'abort', reason: 'The answer was stopped' });
    await eventually(() => lab.model.open === 0, { what: 'the model left alone' });
    const kept = await eventually(async () => {
      const { messages } = (await user.get(`/chat/v5/conversations/${conversation_id}`)).as(conversationShape);
      return messages.length === 2 && messages[1]?.state === 'stopped' && messages[1];
    });
    expect(kept.content).toMatch(/^said /);
    expect((await user.post(`/chat/v5/stream/${conversation_id}/stop`, {})).status).toBe(204);
    const next = scripted(lab.model, { text: 'Going on.' });
    expect((await chat(user, { message: next, conversation_id })).text).toBe('Going on.');
    expect(lab.model.asked(next)[0]?.texts.join()).toContain('said ');
  });

  test('let a turn go on without its reader', async () => {
    const message = scripted(lab.model, { text: ['left ', 'alone'], pieceMs: 200 });
    const stream = await openChat(user, { message });
    const conversation = stream.headers.get('x-conversation-id');
    await stream.take(2);
    stream.close();
    await eventually(async () => {
      const { messages } = (await user.get(`/chat/v5/conversations/${conversation}`)).as(conversationShape);
      return messages[1]?.content === 'left alone';
    });
  });

  test('show the model the newest turns that fit, and no call without its result', async () => {
    const conversation_id = randomUUID();
    const messages = Array.from({ length: 6 }, (_, turn) =>
      scripted(
        lab.model,
        { calls: [{ name: 'use_skill', arguments: { skills: ['mine'], topic: 'self' }, id: `c${turn}` }] },
        { text: `Answer ${turn}. ${'word '.repeat(30)}` },
      ),
    );
    for (const message of messages) await chat(user, { message, conversation_id });
    const [last] = lab.model.asked(messages[5] ?? '');
    const shown = z.array(z.looseObject({ role: z.string(), tool_calls: z.array(z.unknown()).optional() })).parse(last?.body['messages']);
    expect(last?.texts.join()).not.toContain(messages[0]);
    expect(last?.texts.join()).toContain(messages[4]);
    expect(shown.filter(({ role }) => role === 'tool')).toHaveLength(shown.filter(({ tool_calls: calls }) => calls).length);
  });

  verifies(['VL-32', 'VL-36', 'VL-04'], 'let guests in without a credential, with less of everything', async () => {
    const guest = lab.system.anonymous;
    const message = scripted(lab.model, { calls: [{ name: 'show_report', arguments: { title: 'a', summary: 'b', sections: [] } }] });
    const first = await chat(guest, { message }, '/chat/v5/guest/stream');
    const asked = lab.model.asked(message);
    expect(asked).toHaveLength(3);
    expect(asked[0]?.tools.filter((tool) => tool !== 'search_knowledge')).toEqual(['use_skill', 'show_insight']);
    expect(asked[0]?.system).not.toMatch(/<profile>|<skill_data>/);
    expect(first.chunks.find(({ type }) => type === 'tool-output-available')).toMatchObject({
      output: { error: { code: 'PERMISSION_DENIED' } },
    });
    const cookie = (first.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    expect(cookie).toMatch(/^invoq_guest=/);
    const again = scripted(lab.model, { text: 'Welcome back.' });
    const known = guest.with({ cookie });
    const { conversationId } = await chat(known, { message: again }, '/chat/v5/guest/stream');
    const third = scripted(lab.model, { text: 'I remember.' });
    await chat(known, { message: third, conversation_id: conversationId }, '/chat/v5/guest/stream');
    expect(lab.model.asked(third)[0]?.texts).toContain('Welcome back.');
    const stranger = scripted(lab.model, { text: 'Nothing here.' });
    await chat(guest, { message: stranger, conversation_id: conversationId }, '/chat/v5/guest/stream');
    expect(lab.model.asked(stranger)[0]?.texts.join()).not.toMatch(/Welcome back|I remember/);
    const fifth = scripted(lab.model, { text: 'Only ours.' });
    await chat(known, { message: fifth, conversation_id: conversationId }, '/chat/v5/guest/stream');
    expect(lab.model.asked(fifth)[0]?.texts).toContain('I remember.');
    expect(lab.model.asked(fifth)[0]?.texts).not.toContain('Nothing here.');
    const over = await chat(guest, { message: third }, '/chat/v5/guest/stream');
    expect(over.error).toMatchObject({ type: 'quota_exceeded', tier: 'free' });
    for (const path of ['/chat/v5/conversations', '/chat/v5/quota', '/tools', `/chat/v5/conversations/${conversationId}`])
      expect((await known.get(path)).status).toBe(401);
  });

  test('delete a conversation for its owner and nobody else, with every word of it', async () => {
    const message = scripted(lab.model, { text: 'A secret answer.' });
    const { conversationId, chunks } = await chat(user, { message });
    const path = `/chat/v5/conversations/${conversationId}`;
    const job = `/jobs/inv_agent_${String(chunks[0]?.['messageId']).slice('msg_'.length)}`;
    expect((await user.get(job)).status).toBe(200);
    expect((await other.delete(path)).status).toBe(404);
    expect((await atSecond(user).delete(path)).status).toBe(204);
    for (const gone of [path, job]) expect((await user.get(gone)).status).toBe(404);
    expect((await user.delete(path)).status).toBe(404);
    expect(JSON.stringify((await user.get('/chat/v5/conversations')).body)).not.toContain(conversationId);
    expect(await lab.system.redis.everything()).not.toMatch(new RegExp(`${message}|A secret answer`));
    const next = scripted(lab.model, { text: 'Who are you?' });
    await chat(user, { message: next, conversation_id: conversationId });
    expect(lab.model.asked(next)[0]?.texts.slice(1)).toEqual([next]);
  });

  test('stop the answer that is running in a conversation that is deleted', async () => {
    const message = scripted(lab.model, { text: ['said ', ...Array.from({ length: 100 }, () => 'more ')], pieceMs: 100 });
    const conversation_id = randomUUID();
    await using stream = await openChat(user, { message, conversation_id });
    for (let event = await stream.next(); event; event = await stream.next()) if (JSON.stringify(event.data).includes('said')) break;
    expect((await user.delete(`/chat/v5/conversations/${conversation_id}`)).status).toBe(204);
    expect((await stream.rest()).at(-1)?.data).toMatchObject({ type: 'abort' });
    await eventually(() => lab.model.open === 0, { what: 'the model left alone' });
    expect((await user.get(`/chat/v5/conversations/${conversation_id}`)).status).toBe(404);
  });

  verifies(['VL-24'], 'count by the day of the configured zone', async () => {
    const { resets_at } = (await user.get('/chat/v5/quota')).as(z.looseObject({ resets_at: z.iso.datetime() }));
    expect(new Date(resets_at).getUTCHours()).toBe(16);
    expect(Date.parse(resets_at) - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
  });

  test('call tools as the user, in one trace, with the user’s own rights', async () => {
    const reader = await lab.system.caller({ scopes: ['tools:read'] });
    const message = scripted(
      lab.model,
      { calls: [{ name: 'use_skill', arguments: { skills: ['mine'], topic: 'health' } }] },
      {
        calls: [
          { name: 'calc_metrics', arguments: { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' } },
        ],
      },
      { text: 'ok' },
    );
    const { chunks, headers } = await chat(reader, { message });
    expect(chunks.filter(({ type }) => type === 'tool-output-available')[1]).toMatchObject({ output: { bmi: 22.86 } });
    const traceId = headers.get('x-trace-id') ?? '';
    // Each process sends its spans when its own batch is full or old enough.
    await eventually(async () => {
      const spans = JSON.stringify((await reader.get(`/traces/${traceId}`)).body ?? {});
      return ['POST /tools/:name', 'attempt chat_turn', 'attempt calc_metrics'].every((name) => spans.includes(name));
    });
    const ended = await eventually(() =>
      lab.system.logs().find((line) => line.event === 'call-end' && Reflect.get(line, 'tool_name') === 'calc_metrics'),
    );
    expect(ended).toMatchObject({ user_id: 'user_001', trace_id: traceId });
    expect(await lab.system.redis.everything()).not.toMatch(/invoq_[0-9A-Za-z]{12}_|turn_ey/);
  });
});
