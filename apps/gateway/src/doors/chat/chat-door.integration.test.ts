// Chat over a real gateway: whose conversation it is, one turn at a time, streams in both dialects, stopping, deleting, guests.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { readServerSentEvents } from '#lib/client';
import { envelopeShape, eventually, HttpCaller, startTimeoutMs } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../../test-gateway.js';
import { partitionOf } from '#lib/transport';

let gateway: TestGateway;
let user: HttpCaller;
let other: HttpCaller;
let key: string;
/** Turns that are held back, by their message. */
const held = new Map<string, () => void>();

beforeAll(async () => {
  gateway = await startTestGateway({
    settings: { GUEST_CHATS_PER_DAY: '2' },
    handler: async ({ jobId, head, attempt, store }) => {
      const text = String(head.input['message']);
      await store.attempts.output(jobId, attempt, [
        { type: 'thinking', iteration: 1 },
        { type: 'content', content: 'Hel' },
      ]);
      if (text.startsWith('held')) await new Promise<void>((resolve) => held.set(text, resolve));
      if (text === 'fail') return { ok: false, error: { code: 'EXECUTION_ERROR', family: 'EXECUTION_ERROR', message: 'The model failed' } };
      await store.attempts.output(jobId, attempt, [{ type: 'content', content: 'lo' }]);
      const usage = { input_tokens: 1, output_tokens: 2 };
      const data = { conversation_id: head.input['conversation_id'], content: 'Hello', finish_reason: 'stop', iterations: 1, usage };
      return { ok: true, data };
    },
  });
  key = await gateway.tenant.key();
  user = new HttpCaller(gateway.url, key);
  other = await gateway.caller({ userId: 'user_other' });
}, startTimeoutMs);

afterAll(async () => gateway?.[Symbol.asyncDispose]());

const letGo = async (message: string) => (await eventually(() => held.get(message)))();
const chunk = z.looseObject({ type: z.string(), textDelta: z.string().optional(), delta: z.string().optional() });

interface Chunks {
  readonly status: number;
  readonly headers: Headers;
  readonly chunks: readonly (z.infer<typeof chunk> & { readonly event: string })[];
  readonly done: boolean;
}

/** The whole stream of a response, in whichever dialect. */
async function chunksOf(response: Response): Promise<Chunks> {
  const chunks: Chunks['chunks'][number][] = [];
  let done = false;
  if (response.body)
    for await (const { event, data } of readServerSentEvents(response.body)) {
      if (data === '[DONE]') done = true;
      else if (data) chunks.push({ event, ...chunk.parse(JSON.parse(data)) });
    }
  return { status: response.status, headers: response.headers, chunks, done };
}

function post(path: string, body: object, { authorization = `Bearer ${key}`, ...headers }: Record<string, string> = {}): Promise<Response> {
  return fetch(gateway.url + path, {
    method: 'POST',
    headers: { ...(authorization && { authorization }), 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

const say = async (body: object, headers?: Record<string, string>) => chunksOf(await post('/chat/v5/stream', body, headers));
const textOf = ({ chunks }: Chunks) => chunks.map(({ textDelta, delta }) => textDelta ?? delta ?? '').join('');

describe('a message', () => {
  test('begins a conversation with an id of its own and is streamed in the source dialect', async () => {
    const stream = await say({ message: 'hi' });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    expect(stream.headers.get('x-conversation-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(textOf(stream)).toBe('Hello');
    expect(stream.chunks.map(({ type }) => type)).toContain('text-delta');
  });

  test('in the form of useChat is a stream of the AI SDK, and nothing else is in it', async () => {
    const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'hi' }] }];
    const stream = await say({ id: 'my chat', messages, trigger: 'submit-message' });
    expect(stream.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(stream.done).toBe(true);
    expect(textOf(stream)).toBe('Hello');
    expect(stream.chunks.every(({ event }) => event === 'message')).toBe(true);
  });

  test('is answered as one envelope for a client that reads JSON alone', async () => {
    const response = await post('/chat/v5/stream', { message: 'hi' }, { accept: 'application/json' });
    expect(envelopeShape.parse(await response.json())).toMatchObject({ success: true, data: { content: 'Hello' } });
    expect(response.headers.get('x-conversation-id')).not.toBeNull();
  });

  test.each([
    ['without text', { message: '  ' }, 'message'],
    ['of 16,001 characters', { message: 'x'.repeat(16_001) }, 'message'],
    ['in a conversation that is no UUID', { message: 'hi', conversation_id: 'mine' }, 'conversation_id'],
    ['in an unknown mode', { message: 'hi', mode: 'hard' }, 'mode'],
    ['without messages', { messages: [] }, 'messages'],
    ['without one of the user', { messages: [{ role: 'assistant', parts: [] }] }, 'messages'],
  ])('%s is refused, and the refusal names the field', async (_what, body, field) => {
    const response = await post('/chat/v5/stream', body);
    expect(response.status).toBe(400);
    expect(JSON.stringify(envelopeShape.parse(await response.json()).error)).toContain(field);
  });

  test('whose turn fails ends the stream with an error', async () => {
    const stream = await say({ message: 'fail' });
    expect(stream.status).toBe(200);
    expect(JSON.stringify(stream.chunks.at(-1))).toContain('error');
  });
});

describe('a conversation', () => {
  test('has one turn at a time', async () => {
    const conversation_id = randomUUID();
    const first = say({ message: 'held-first', conversation_id });
    await eventually(() => held.has('held-first'));
    const second = await post('/chat/v5/stream', { message: 'second', conversation_id });
    expect(second.status).toBe(409);
    expect(envelopeShape.parse(await second.json()).error).toMatchObject({ code: 'CONFLICT' });
    await letGo('held-first');
    expect(textOf(await first)).toBe('Hello');
    expect(textOf(await say({ message: 'third', conversation_id }))).toBe('Hello');
  });

  test('is its owner’s alone: the same id is another conversation for a name, and not found for a UUID', async () => {
    const conversation_id = randomUUID();
    await say({ message: 'mine', conversation_id });
    const foreign = await other.post('/chat/v5/stream', { message: 'yours', conversation_id });
    expect(foreign.status).toBe(404);
    expect((await other.get(`/chat/v5/conversations/${conversation_id}`)).status).toBe(404);
    expect((await other.delete(`/chat/v5/conversations/${conversation_id}`)).status).toBe(404);
    const named = { id: 'shared name', messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }] };
    const mine = (await say(named)).headers.get('x-conversation-id');
    const theirs = (await other.post('/chat/v5/stream', named)).headers.get('x-conversation-id');
    expect(mine).not.toBe(theirs);
  });

  test('that is deleted loses its turn, its messages and the records of its jobs', async () => {
    const conversation_id = randomUUID();
    const reading = say({ message: 'held-deleted', conversation_id });
    await eventually(() => held.has('held-deleted'));
    const jobIds = await gateway.stores.store.open.until(partitionOf('agent'), '+inf', { offset: 0, limit: 10 });
    expect((await user.delete(`/chat/v5/conversations/${conversation_id}`)).status).toBe(204);
    await letGo('held-deleted');
    await reading;
    expect((await user.get(`/chat/v5/conversations/${conversation_id}`)).status).toBe(404);
    for (const jobId of jobIds) expect((await user.get(`/jobs/${jobId}`)).status).toBe(404);
    expect((await user.delete(`/chat/v5/conversations/${conversation_id}`)).status).toBe(404);
  });
});

describe('a running turn', () => {
  const resume = async (id: string, headers: Record<string, string> = { authorization: `Bearer ${key}` }) =>
    fetch(`${gateway.url}/chat/v5/stream/${id}/stream`, { headers });

  test('is resumed from its first chunk while it runs, and is 204 after it', async () => {
    const conversation_id = randomUUID();
    const first = say({ message: 'held-resumed', conversation_id });
    await eventually(() => held.has('held-resumed'));
    const again = await resume(conversation_id);
    await letGo('held-resumed');
    expect((await chunksOf(again)).chunks).toEqual((await first).chunks);
    expect((await resume(conversation_id)).status).toBe(204);
  });

  test('is nobody else’s to resume or to stop', async () => {
    const conversation_id = randomUUID();
    const reading = say({ message: 'held-foreign', conversation_id });
    await eventually(() => held.has('held-foreign'));
    const stranger = await gateway.tenant.key({ userId: 'user_other' });
    expect((await resume(conversation_id, { authorization: `Bearer ${stranger}` })).status).toBe(204);
    expect((await other.post(`/chat/v5/stream/${conversation_id}/stop`, undefined)).status).toBe(204);
    await letGo('held-foreign');
    expect(textOf(await reading)).toBe('Hello');
  });

  test('is stopped by its owner, keeps what it has written, and ends every reader’s stream', async () => {
    const conversation_id = randomUUID();
    const reading = say({ message: 'held-stopped', conversation_id });
    await eventually(() => held.has('held-stopped'));
    const stopped = await user.post(`/chat/v5/stream/${conversation_id}/stop`, undefined);
    expect(stopped.status).toBe(202);
    expect(stopped.body).toMatchObject({ conversation_id, state: 'cancelled', job_id: expect.any(String) });
    expect(textOf(await reading)).toBe('Hel');
    expect((await user.post(`/chat/v5/stream/${conversation_id}/stop`, undefined)).status).toBe(204);
    await letGo('held-stopped');
  });

  test('goes on when its reader goes away', async () => {
    const conversation_id = randomUUID();
    const leaving = new AbortController();
    const gone = fetch(`${gateway.url}/chat/v5/stream`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'held-left', conversation_id }),
      signal: leaving.signal,
    })
      .then((response) => response.text())
      .catch(() => null);
    await eventually(() => held.has('held-left'));
    leaving.abort();
    await gone;
    const again = await resume(conversation_id);
    await letGo('held-left');
    expect(textOf(await chunksOf(again))).toBe('Hello');
  });
});

describe('a guest', () => {
  const visit = async (cookie?: string) =>
    post('/chat/v5/guest/stream', { message: 'hi' }, { authorization: '', ...(cookie !== undefined && { cookie }) });

  test('needs no credential, gets a cookie once, and is told in the stream when the day’s conversations are used up', async () => {
    const first = await visit();
    const [cookie = ''] = (first.headers.get('set-cookie') ?? '').split(';');
    expect(first.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/);
    expect(textOf(await chunksOf(first))).toBe('Hello');
    const second = await visit(cookie);
    expect(second.headers.get('set-cookie')).toBeNull();
    await second.text();
    const third = await chunksOf(await visit(cookie));
    expect(third.status).toBe(200);
    expect(third.chunks).toMatchObject([{ event: 'error', type: 'quota_exceeded' }]);
  });
});
