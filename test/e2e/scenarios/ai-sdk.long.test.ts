// The real packages of the AI SDK, 5, 6 and 7, as clients of the chat door: their transports, their parsers, their messages.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as ai7 from 'ai';
import * as ai5 from 'ai5';
import * as ai6 from 'ai6';
import { eventually, startTimeoutMs } from '#lib/testing';
import { scripted, startChatSystem, type ChatSystem } from '../chat-system.js';

interface Place {
  readonly api: string;
  readonly headers: Record<string, string>;
}

/** What a client ends up with: the parts of the answer, and the error that it would show. */
interface Answer {
  readonly parts: readonly { readonly type: string }[];
  readonly error: string | null;
}

interface Client {
  readonly send: (place: Place, chatId: string, text: string) => Promise<Answer>;
  /** Null when there is nothing to resume. */
  readonly resume: (place: Place, chatId: string) => Promise<Answer | null>;
}

const userMessage = (text: string) => ({ id: 'm1', role: 'user' as const, parts: [{ type: 'text' as const, text }] });
const request = (chatId: string, text: string) => ({
  chatId,
  messages: [userMessage(text)],
  trigger: 'submit-message' as const,
  messageId: undefined,
  abortSignal: undefined,
});

async function lastOf(
  messages: AsyncIterable<{ readonly parts: readonly { readonly type: string }[] }>,
  error: () => string | null,
): Promise<Answer> {
  let parts: Answer['parts'] = [];
  try {
    for await (const message of messages) parts = [...message.parts];
  } catch (thrown) {
    return { parts, error: error() ?? String(thrown) };
  }
  return { parts, error: error() };
}

function noting(): { readonly onError: (error: unknown) => void; readonly error: () => string | null } {
  let noted: string | null = null;
  return { onError: (error) => void (noted = error instanceof Error ? error.message : String(error)), error: () => noted };
}

const clients: Readonly<Record<string, Client>> = {
  '5': {
    send: async (place, chatId, text) => {
      const { onError, error } = noting();
      const stream = await new ai5.DefaultChatTransport(place).sendMessages(request(chatId, text));
      return lastOf(ai5.readUIMessageStream({ stream, onError }), error);
    },
    resume: async (place, chatId) => {
      const { onError, error } = noting();
      const stream = await new ai5.DefaultChatTransport(place).reconnectToStream({ chatId });
      return stream && lastOf(ai5.readUIMessageStream({ stream, onError }), error);
    },
  },
  '6': {
    send: async (place, chatId, text) => {
      const { onError, error } = noting();
      const stream = await new ai6.DefaultChatTransport(place).sendMessages(request(chatId, text));
      return lastOf(ai6.readUIMessageStream({ stream, onError }), error);
    },
    resume: async (place, chatId) => {
      const { onError, error } = noting();
      const stream = await new ai6.DefaultChatTransport(place).reconnectToStream({ chatId });
      return stream && lastOf(ai6.readUIMessageStream({ stream, onError }), error);
    },
  },
  '7': {
    send: async (place, chatId, text) => {
      const { onError, error } = noting();
      const stream = await new ai7.DefaultChatTransport(place).sendMessages(request(chatId, text));
      return lastOf(ai7.readUIMessageStream({ stream, onError }), error);
    },
    resume: async (place, chatId) => {
      const { onError, error } = noting();
      const stream = await new ai7.DefaultChatTransport(place).reconnectToStream({ chatId });
      return stream && lastOf(ai7.readUIMessageStream({ stream, onError }), error);
    },
  },
};

let lab: ChatSystem;
let place: Place;

beforeAll(async () => {
  lab = await startChatSystem();
  const key = await lab.system.tenant.key({ tier: 'vip' });
  place = { api: `${lab.system.gateway.url}/chat/v5/stream`, headers: { authorization: `Bearer ${key}` } };
}, startTimeoutMs);
afterAll(async () => lab?.[Symbol.asyncDispose]());

describe.each(Object.entries(clients))('the AI SDK %s', (version, client) => {
  test('reads steps, tools and text', async () => {
    const message = scripted(
      lab.model,
      { text: 'One moment.', calls: [{ name: 'show_insight', arguments: { title: 'Rest', content: 'Sleep well.' } }] },
      { text: ['All ', 'said.'] },
    );
    const { parts, error } = await client.send(place, `chat-${version}-1`, message);
    expect(error).toBeNull();
    expect(parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'One moment.' },
      { type: 'tool-show_insight', state: 'output-available', input: { title: 'Rest' }, output: { status: 'shown', title: 'Rest' } },
      { type: 'step-start' },
      { type: 'text', text: 'All said.' },
    ]);
  });

  test('is told of an error that came in the middle', async () => {
    const message = scripted(lab.model, { text: ['Half ', 'of it'], diesAfter: 1 });
    const { parts, error } = await client.send(place, `chat-${version}-2`, message);
    expect(parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'Half ' }));
    expect(JSON.parse(error ?? 'null')).toMatchObject({ type: 'agent-error', tier: 'vip' });
  });

  test('resumes a running turn without doubling its text, and finds nothing after its end', async () => {
    const message = scripted(lab.model, { text: ['one ', 'two ', 'three'], pieceMs: 500 });
    const chatId = `chat-${version}-3`;
    const whole = client.send(place, chatId, message);
    await eventually(() => lab.model.asked(message).length === 1);
    const resumed = await client.resume(place, chatId);
    expect(resumed?.error).toBeNull();
    expect(resumed?.parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'one two three' }));
    expect((await whole).parts).toEqual(resumed?.parts);
    expect(await client.resume(place, chatId)).toBeNull();
  });

  test('shows a used-up quota as an error', async () => {
    const key = await lab.system.tenant.key({ userId: `spent-${version}`, tier: 'free' });
    const own = { ...place, headers: { authorization: `Bearer ${key}` } };
    const message = scripted(lab.model, { text: 'ok' });
    for (let turn = 0; turn < 10; turn++) await client.send(own, `spent-${version}-${turn}`, message);
    await expect(client.send(own, `spent-${version}-10`, message)).rejects.toThrow();
  });
});
