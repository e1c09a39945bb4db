// What outside servers ask of the client behind a call, besides forms: an answer of its model (sampling), its roots, and that its user opens an
// address.
import { z } from 'zod';
import { toJsonSchema, type JsonSchema } from '../derive/json-schema.js';
import { Refusal } from '../errors.js';
import { describeFaults, parseParameters } from '../parameter-faults.js';
import { askedAddress, hostOfAddress } from './asked-address.js';
import { answerWithTools, plainAnswer, samplingParams, usesTools, type SamplingParams } from './sampling.js';

/** What a registration may allow. Forms and addresses need no leave. */
export const relayedAsks = ['sampling', 'roots'] as const;
export const relayedAsk = z.enum(relayedAsks);
export type RelayedAsk = z.infer<typeof relayedAsk>;
/** All that is relayed but forms. */
export type RelayedKind = RelayedAsk | 'url';

/** @limit outside servers: bytes of a question to the model of a client; the server gets an error */
export const mostRelayedBytes = 262_144;
/** @limit outside servers: questions of a server within one call; the others are cancelled, and the caller is warned */
export const mostServerQuestions = 20;
/** @limit outside servers: roots of a client that a server is given; INVALID_PARAMS */
const mostRoots = 1_000;
const longestUri = 4_096;
const longestName = 512;

/** A request of a server in the words of MCP. */
export const relayedRequest = z.discriminatedUnion('method', [
  z.object({ method: z.literal('sampling/createMessage'), params: samplingParams }),
  z.object({ method: z.literal('roots/list'), params: z.object({}).default({}) }),
  z.object({
    method: z.literal('elicitation/create'),
    params: z.object({
      mode: z.literal('url'),
      message: z.string(),
      url: askedAddress,
      /** The server's own name for it. */
      elicitationId: z.string().max(longestName).optional().catch(undefined),
    }),
  }),
]);
export type RelayedRequest = z.output<typeof relayedRequest>;

const roots = z.object({
  roots: z
    .array(
      z.object({
        uri: z.string().max(longestUri).startsWith('file://', 'must begin with file://'),
        name: z.string().max(longestName).optional(),
      }),
    )
    .max(mostRoots),
});

/** What a server is answered, in the words of MCP. */
export const relayedAnswers = { sampling: answerWithTools, roots } as const;

/** What people fill in, where no client answers for them. */
const forms = {
  sampling: z.object({
    text: z.string().describe('What the model says.'),
    model: z.string().max(longestName).default('a person').describe('Which model says it.'),
  }),
  roots: z.object({ roots: z.string().describe('Addresses of folders and files, each on a line of its own; all begin with file://.') }),
  url: z.object({}).describe('A yes says that you have opened the address yourself, and have done there what it asks for.'),
} as const;

const kinds = { 'sampling/createMessage': 'sampling', 'roots/list': 'roots', 'elicitation/create': 'url' } as const;

export function askOf<Method extends RelayedRequest['method']>({ method }: { readonly method: Method }): (typeof kinds)[Method] {
  return kinds[method];
}

/** Words for people. What the server says to the model is not among them, nor is the address: they are for the caller alone. */
export function relayedMessage(server: string, request: RelayedRequest): string {
  switch (request.method) {
    case 'roots/list':
      return `${server} asks for your roots: the folders and files that it may work with`;
    case 'sampling/createMessage':
      return `${server} asks your model for an answer of at most ${request.params.maxTokens} tokens${toolsSaid(request.params)}`;
    case 'elicitation/create':
      return `${server} asks you to open an address at ${hostOfAddress(request.params.url)}, and says: ${request.params.message}`;
  }
}

/** Tools that a server gives the model are its own: it runs them itself, and nothing of the caller. */
function toolsSaid({ tools = [] }: SamplingParams): string {
  if (tools.length === 0) return '';
  return `, and gives it ${tools.length === 1 ? 'a tool' : `${tools.length} tools`} of its own`;
}

/** Whether a client must have said that its model can be given tools (`sampling.tools`). */
export function needsModelTools(request: RelayedRequest): boolean {
  return request.method === 'sampling/createMessage' && usesTools(request.params);
}

/** JSON Schema of the form that stands for a request. */
export function relayedForm(request: RelayedRequest): JsonSchema {
  const { $schema: _version, ...schema } = toJsonSchema(forms[askOf(request)], 'input');
  return schema;
}

/** An answer as its server gets it: what the form asks for, or what the protocol has as the result. Throws INVALID_PARAMS, which names the field. */
export function relayedAnswer(request: RelayedRequest, content: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kind = askOf(request);
  // Whoever says yes has opened it: there is nothing else to say.
  if (kind === 'url') return checked(forms.url.strict(), content);
  if (request.method === 'sampling/createMessage') {
    if ('role' in content) return checked(request.params.tools === undefined ? plainAnswer : answerWithTools, content);
    const { text, model } = checked(forms.sampling.strict(), content);
    return { role: 'assistant', content: { type: 'text', text }, model };
  }
  if (Array.isArray(content['roots'])) return checked(roots, content);
  const lines = checked(forms.roots.strict(), content).roots.split('\n');
  const uris = lines.map((line) => line.trim()).filter((line) => line !== '');
  return checked(roots, { roots: uris.map((uri) => ({ uri })) });
}

function checked<Schema extends z.ZodObject>(schema: Schema, content: unknown): z.output<Schema> {
  const parsed = parseParameters(z.strictObject({ content: schema }), { content });
  if (parsed.success) return schema.parse(content);
  const { message: said, details } = describeFaults(parsed.faults);
  throw new Refusal('INVALID_PARAMS', said, { details });
}
