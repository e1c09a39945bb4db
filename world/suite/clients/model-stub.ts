// What clients use as their model. It calls the one tool that the question names, then ends, and keeps what it was sent. It speaks chat
// completions and Anthropic's messages, streamed and whole.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

const part = z.looseObject({ type: z.string().optional(), text: z.string().optional(), content: z.unknown().optional() });
const message = z.looseObject({ role: z.string(), content: z.unknown() });
const body = z.looseObject({
  stream: z.boolean().nullish(),
  messages: z.array(message),
  tools: z.array(z.looseObject({ name: z.string().optional(), function: z.looseObject({ name: z.string() }).optional() })).optional(),
});
type Body = z.output<typeof body>;

/** What the stub says next: it calls a tool, or ends. */
interface Turn {
  readonly id: string;
  readonly call: { readonly name: string; readonly input: string } | null;
}

const said = 'Done.';
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const wish = /call (\w+) with (\{.*\})/s;

export class ModelStub implements AsyncDisposable {
  readonly #server: Server;
  readonly #asked: Body[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ModelStub> {
    const server = createServer();
    const stub = new ModelStub(server);
    server.on('request', (request, response) => void stub.#answer(request, response).catch(() => response.destroy()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return stub;
  }

  /** Without the `/v1` at which OpenAI's clients begin. */
  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }

  /** What the model was told by the tool that it called for this question; null when nobody told it. */
  toldOf(question: string): string | null {
    const last = this.#asked.findLast(({ messages }) => questionOf(messages).includes(question));
    const results = last?.messages.filter(isResult) ?? [];
    return results.length === 0 ? null : results.map(({ content }) => textOf(content)).join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = body.parse(await json(request));
    this.#asked.push(asked);
    const turn = { id: `call_${this.#asked.length}`, call: nextCall(asked) };
    const isAnthropic = request.url?.split('?')[0]?.endsWith('/messages') ?? false;
    const isStream = asked.stream === true;
    const text = isAnthropic ? anthropic(turn) : isStream ? completionStream(turn) : completion(turn);
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' }).end(text);
  }
}

function nextCall({ messages, tools = [] }: Body): Turn['call'] {
  const [, tool, input] = wish.exec(questionOf(messages)) ?? [];
  if (tool === undefined || input === undefined || messages.some(isResult)) return null;
  // Clients put the name of the server before that of the tool.
  const names = tools.map(({ name, function: own }) => name ?? own?.name ?? '');
  const name = names.find((one) => one === tool) ?? names.find((one) => one.endsWith(tool));
  return name === undefined ? null : { name, input };
}

function questionOf(messages: Body['messages']): string {
  return messages
    .filter((one) => one.role === 'user' && !isResult(one))
    .map(({ content }) => textOf(content))
    .join('\n');
}

/** A message of the role `tool`; with Anthropic, blocks of the type `tool_result` in one of the user. */
function isResult({ role, content }: z.output<typeof message>): boolean {
  if (role === 'tool') return true;
  return Array.isArray(content) && content.some((one: unknown) => part.safeParse(one).data?.type === 'tool_result');
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : JSON.stringify(content);
  return content
    .map((one: unknown) => {
      const parsed = part.safeParse(one).data;
      if (parsed?.text !== undefined) return parsed.text;
      return parsed?.content === undefined ? JSON.stringify(one) : textOf(parsed.content);
    })
    .join('\n');
}

const toolCall = ({ id, call }: Turn) => ({ id, type: 'function', function: { name: call?.name, arguments: call?.input } });

function completion(turn: Turn): string {
  const spoken = turn.call ? { content: null, tool_calls: [toolCall(turn)] } : { content: said };
  const choice = { index: 0, message: { role: 'assistant', ...spoken }, finish_reason: turn.call ? 'tool_calls' : 'stop' };
  return JSON.stringify({ id: turn.id, object: 'chat.completion', created: 1, model: 'stub', choices: [choice], usage });
}

function completionStream(turn: Turn): string {
  const delta = turn.call ? { role: 'assistant', tool_calls: [{ index: 0, ...toolCall(turn) }] } : { role: 'assistant', content: said };
  const chunk = (choices: readonly object[], rest: object = {}) =>
    `data: ${JSON.stringify({ id: turn.id, object: 'chat.completion.chunk', created: 1, model: 'stub', choices, ...rest })}\n\n`;
  return [
    chunk([{ index: 0, delta, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: turn.call ? 'tool_calls' : 'stop' }]),
    chunk([], { usage }),
    'data: [DONE]\n\n',
  ].join('');
}

function anthropic({ id, call }: Turn): string {
  const content = call ? [{ type: 'tool_use', id, name: call.name, input: JSON.parse(call.input) }] : [{ type: 'text', text: said }];
  const counts = { input_tokens: 1, output_tokens: 1 };
  return JSON.stringify({
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: 'stub',
    content,
    stop_reason: call ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: counts,
  });
}
