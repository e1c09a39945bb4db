// What servers answer to questions about resources and prompts, in a form that every client of the protocol takes. A careless field is left
// out; without content there is no answer.
import { z } from 'zod';
import { outsideMimeType, outsideResource, type OutsideQuestion } from '#lib/contracts';

type Result = Readonly<Record<string, unknown>>;

/**
 * Larger ones would fill stores and the contexts of models.
 * @limit outside servers: bytes of a resource or a prompt; EXECUTION_ERROR
 */
const mostBytes = 4 * 1024 * 1024;
const mostMessages = 1_000;
/** The protocol allows no more values. */
const mostValues = 100;
const base64Shape = /^[A-Za-z0-9+/]*={0,2}$/;

const maybe = <Kind extends z.ZodType>(kind: Kind) => kind.optional().catch(undefined);
const meta = maybe(z.record(z.string(), z.unknown()));
const base64 = z
  .string()
  .transform((text) => text.replaceAll(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/'))
  .refine((text) => base64Shape.test(text) && text.replace(/=+$/, '').length % 4 !== 1, 'is no base64')
  .transform((text) => Buffer.from(text, 'base64').toString('base64'));
const ofContents = { mimeType: maybe(outsideMimeType), _meta: meta };
const contents = (uri: string) =>
  z.union([
    z.object({ ...ofContents, uri: z.string().catch(uri), text: z.string() }),
    z.object({ ...ofContents, uri: z.string().catch(uri), blob: base64 }),
  ]);
const annotations = outsideResource.in.shape.annotations;
const block = z.union([
  z.object({ type: z.literal('text'), text: z.string(), annotations, _meta: meta }),
  z.object({ type: z.enum(['image', 'audio']), data: base64, mimeType: outsideMimeType, annotations, _meta: meta }),
  z.object({ type: z.literal('resource'), resource: contents(''), annotations, _meta: meta }),
  outsideResource.and(z.object({ type: z.literal('resource_link') })),
]);
const completion = z.object({
  values: z.array(z.unknown()),
  total: maybe(z.int().min(0)),
  hasMore: maybe(z.boolean()),
});

/** What a server answered is no answer. The message says what is wrong. */
export class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer';
}

/** Throws UnusableAnswer. */
export function readOfferAnswer(server: string, question: OutsideQuestion, given: Result): Result {
  const bytes = Buffer.byteLength(JSON.stringify(given));
  if (bytes > mostBytes) throw unusable(server, `has ${bytes} bytes, and ${mostBytes} are the most that is passed on`);
  switch (question.question) {
    case 'resource':
      return resourceOf(server, question.of, given);
    case 'prompt':
      return promptOf(server, given);
    case 'prompt_completion':
    case 'template_completion':
      return completionOf(server, given);
  }
}

function resourceOf(server: string, uri: string, { contents: given }: Result): Result {
  if (!Array.isArray(given)) throw unusable(server, "has no list 'contents'");
  const shape = contents(uri);
  return {
    contents: given.map((one: unknown, index) => {
      const read = shape.safeParse(one);
      if (read.success) return read.data;
      throw unusable(server, `has in contents.${index} neither a text nor a blob in base64`);
    }),
  };
}

function promptOf(server: string, { messages: given, description }: Result): Result {
  if (!Array.isArray(given)) throw unusable(server, "has no list 'messages'");
  if (given.length > mostMessages) throw unusable(server, `has ${given.length} messages, and ${mostMessages} are the most`);
  return {
    ...(typeof description === 'string' && { description }),
    messages: given.map((one: unknown) => {
      const { role, content }: Result = typeof one === 'object' ? { ...one } : {};
      return { role: role === 'assistant' ? 'assistant' : 'user', content: blockOf(content) };
    }),
  };
}

/** What is no content of the protocol is given as text. */
function blockOf(given: unknown): object {
  if (typeof given === 'string') return { type: 'text', text: given };
  return block.safeParse(given).data ?? { type: 'text', text: JSON.stringify(given ?? null) };
}

function completionOf(server: string, { completion: given }: Result): Result {
  const read = completion.safeParse(given);
  if (!read.success) throw unusable(server, "has no list 'completion.values'");
  const { values, total, hasMore } = read.data;
  const texts = values.filter((value) => typeof value === 'string');
  return {
    completion: {
      values: texts.slice(0, mostValues),
      ...(total !== undefined && { total }),
      hasMore: hasMore ?? texts.length > mostValues,
    },
  };
}

function unusable(server: string, what: string): UnusableAnswer {
  return new UnusableAnswer(`What ${server} answered ${what}`);
}
