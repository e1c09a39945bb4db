import { argumentsOf, type ModelRequest, type ScriptedReply } from './model-script.js';

type Body = Readonly<Record<string, unknown>>;

/** The stream of chat completions: who speaks, one event for each piece, then calls, the reason, the usage and `[DONE]`. */
export const openaiWire = {
  head: () => event({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] }),
  piece: (text: string) => event({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }] }),
  tail: ({ calls = [], usage = { input: 100, output: 20 }, finish = 'stop' }: ScriptedReply, number: number) =>
    [
      ...calls.flatMap((call, index) => {
        const written = argumentsOf(call);
        const middle = Math.ceil(written.length / 2);
        const id = call.id ?? `call_${number}_${index}`;
        const first = { index, id, type: 'function', function: { name: call.name, arguments: written.slice(0, middle) } };
        return [first, { index, function: { arguments: written.slice(middle) } }].map((one) =>
          event({ choices: [{ index: 0, delta: { tool_calls: [one] }, finish_reason: null }] }),
        );
      }),
      event({ choices: [{ index: 0, delta: {}, finish_reason: reasonOf(calls.length > 0, finish) }] }),
      event({
        choices: [],
        usage: { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output },
      }),
      'data: [DONE]\n\n',
    ].join(''),
  request: (body: Body): Pick<ModelRequest, 'system' | 'texts' | 'message' | 'tools'> => {
    const messages = listIn(body, 'messages');
    return {
      system: messages
        .filter(({ role }) => role === 'system')
        .map(textIn)
        .join('\n'),
      texts: messages.map(textIn),
      message: textIn(messages.findLast(({ role }) => role === 'user') ?? {}),
      tools: listIn(body, 'tools').map((tool) => String(Reflect.get(Object(tool['function']), 'name'))),
    };
  },
};

function reasonOf(hasCalls: boolean, finish: NonNullable<ScriptedReply['finish']>): string {
  if (hasCalls) return 'tool_calls';
  return finish === 'refusal' ? 'content_filter' : finish;
}

function event(rest: object): string {
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'scripted', ...rest })}\n\n`;
}

export function listIn(holder: Body, key: string): readonly Body[] {
  const list = holder[key];
  return Array.isArray(list) ? list.filter((item): item is Body => typeof item === 'object' && item !== null) : [];
}

/** The text of a message of either protocol, all its parts joined. */
export function textIn(message: Body): string {
  const { content } = message;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => {
      const { text, content: inner } = Object(part);
      return typeof text === 'string' ? text : typeof inner === 'string' ? inner : textIn({ content: inner });
    })
    .join('');
}
