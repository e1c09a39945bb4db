import { argumentsOf, type ModelRequest, type ScriptedReply } from './model-script.js';
import { listIn, textIn } from './openai-wire.js';

type Body = Readonly<Record<string, unknown>>;

/** The stream of the messages API: a message, its content blocks, its reason to stop. */
export const anthropicWire = {
  head: ({ usage = { input: 100, output: 20 } }: ScriptedReply) =>
    event('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'scripted',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: usage.input, output_tokens: 1 },
      },
    }) + event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  piece: (text: string) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
  tail: ({ calls = [], usage = { input: 100, output: 20 }, finish = 'stop' }: ScriptedReply, number: number) =>
    [
      event('content_block_stop', { index: 0 }),
      ...calls.flatMap((call, place) => {
        const index = place + 1;
        return [
          event('content_block_start', {
            index,
            content_block: { type: 'tool_use', id: call.id ?? `toolu_${number}_${place}`, name: call.name, input: {} },
          }),
          event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: argumentsOf(call) } }),
          event('content_block_stop', { index }),
        ];
      }),
      event('message_delta', {
        delta: { stop_reason: reasonOf(calls.length > 0, finish), stop_sequence: null },
        usage: { output_tokens: usage.output },
      }),
      event('message_stop', {}),
    ].join(''),
  request: (body: Body): Pick<ModelRequest, 'system' | 'texts' | 'message' | 'tools'> => {
    const messages = listIn(body, 'messages');
    return {
      system: textIn({ content: body['system'] }),
      texts: messages.map(textIn),
      message: textIn(messages.findLast((message) => message['role'] === 'user' && !hasResult(message)) ?? {}),
      tools: listIn(body, 'tools').map(({ name }) => String(name)),
    };
  },
};

/** Results of tools come as messages of the user. */
function hasResult({ content }: Body): boolean {
  return Array.isArray(content) && content.some((part: unknown) => Reflect.get(Object(part), 'type') === 'tool_result');
}

function reasonOf(hasCalls: boolean, finish: NonNullable<ScriptedReply['finish']>): string {
  if (hasCalls) return 'tool_use';
  return { stop: 'end_turn', length: 'max_tokens', refusal: 'refusal' }[finish];
}

function event(type: string, rest: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}
