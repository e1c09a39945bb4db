// What outside servers ask of the client behind a call, besides forms: an answer of its model (sampling), its roots, and that its user opens an
// address.
import { z } from 'zod';
import { toJsonSchema, type JsonSchema } from '../derive/json-schema.js';
import { Refusal } from '../errors.js';
import { describeFaults, parseParameters } from '../parameter-faults.js';
import { askedAddress, hostOfAddress } from './asked-address.js';

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

const role = z.enum(['user', 'assistant']);
const block = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), data: z.base64(), mimeType: z.string().max(255) }),
  z.object({ type: z.literal('audio'), data: z.base64(), mimeType: z.string().max(255) }),
]);
const preferences = z.object({
  hints: z.array(z.object({ name: z.string().optional() })).optional(),
  costPriority: z.number().optional(),
  speedPriority: z.number().optional(),
  intelligencePriority: z.number().optional(),
});

/** A request of a server in the words of MCP, without what no client was offered: tools for the model, and the context of other servers. */
export const relayedRequest = z.discriminatedUnion('method', [
  z.object({
    method: z.literal('sampling/createMessage'),
    params: z.object({
      messages: z.array(z.object({ role, content: z.union([block, z.array(block)]) })),
      systemPrompt: z.string().optional(),
      maxTokens: z.int().min(1),
      temperature: z.number().optional(),
      stopSequences: z.array(z.string()).optional(),
      modelPreferences: preferences.optional(),
      tools: z.undefined('cannot be used: no client was asked whether its model may call them').optional(),
    }),
  }),
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

/** The one block of a list of one is the answer too. */
const only = (given: unknown): unknown => (Array.isArray(given) && given.length === 1 ? given[0] : given);
const message = z.object({
  role,
  content: z.preprocess(only, block),
  model: z.string().max(longestName),
  stopReason: z.string().optional(),
});
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
export const relayedAnswers = { sampling: message, roots } as const;

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
      return `${server} asks your model for an answer of at most ${request.params.maxTokens} tokens`;
    case 'elicitation/create':
      return `${server} asks you to open an address at ${hostOfAddress(request.params.url)}, and says: ${request.params.message}`;
  }
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
  if (kind === 'sampling') {
    if ('role' in content) return checked(message, content);
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
