// Chat turns in both dialects, of users and guests, and what can be asked about them.
import type { Random } from '../../chaos/random.js';
import { hostileText } from '../grammar/atoms.js';
import { mutated } from '../grammar/mutate.js';
import type { Case, Step } from '../requests/case.js';
import { hostileStep, plainStep } from './parts.js';

const messages = [
  'hello',
  '我1990年5月15日早上8点出生，男，看看八字',
  'weather in Beijing',
  'what is my bmi?',
  'search sleep',
  'use a skill',
  'x'.repeat(16_000),
  'x'.repeat(16_001),
];

export function chatCase(random: Random): Case {
  const text = random.chance(0.6) ? random.pick(messages) : hostileText(random);
  const chat = random.pick(['3fa85f64-5717-4562-b3fc-2c963f66afa6', 'chat-1', hostileText(random).slice(0, 300)]);
  let json: unknown = random.pick<unknown>([
    { message: text },
    { message: text, mode: random.pick(['simple', 'complex']) },
    { message: text, conversation_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6' },
    {
      id: chat,
      trigger: random.pick(['submit-message', 'regenerate-message', 'x']),
      messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text }] }],
    },
    {
      id: chat,
      messages: [
        { role: 'user', content: text },
        { role: 'assistant', parts: [{ type: 'tool-x', state: 'output-available', output: {} }] },
      ],
    },
    {
      id: chat,
      message: {
        id: 'm1',
        role: 'user',
        parts: [
          { type: 'text', text },
          { type: 'file', url: 'data:x' },
        ],
      },
    },
  ]);
  if (random.chance(0.35)) json = mutated(json, random);
  const guest = random.chance(0.25);
  const prefix = guest ? '/chat/v5/guest/stream' : '/chat/v5/stream';
  const key = guest ? null : random.pick(['user', 'user', 'free', 'other'] as const);
  const headers: Step['headers'] = random.chance(0.3) ? [['x-stream-protocol', 'ai-sdk']] : [];
  const turn = hostileStep({ method: 'POST', target: prefix, key, json, headers }, random);
  if (random.chance(0.5)) return { door: guest ? 'chat of guests' : 'chat', steps: [turn] };
  const id = encodeURIComponent(typeof chat === 'string' ? chat.replaceAll(/[\ud800-\udfff]/g, '') : 'x');
  const [method, target] = random.pick([
    ['GET', `${prefix}/${id}/stream`],
    ['POST', `${prefix}/${id}/stop`],
    ['GET', `/chat/v5/conversations/${id}`],
    ['DELETE', `/chat/v5/conversations/${id}`],
    ['GET', '/chat/v5/conversations'],
    ['GET', '/chat/v5/quota'],
  ] as const);
  // The reader of the turn leaves, and asks for it again.
  return {
    door: 'chat, resumed and stopped',
    steps: [
      { ...turn, leavesAfterMs: random.pick([10, 100]) },
      hostileStep({ method, target, key, ...(method === 'POST' && { json: {} }) }, random),
      plainStep({ method: 'GET', target: '/chat/v5/quota', key: 'user' }),
    ],
  };
}
