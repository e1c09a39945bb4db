// What an outside server asks of the model of a client (sampling), and what the model says. A server may give the model tools: the model names
// one of them, and the server itself runs it and asks again with what came of it.
import { z } from 'zod';

const longestName = 512;

const role = z.enum(['user', 'assistant']);
const said = [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), data: z.base64(), mimeType: z.string().max(255) }),
  z.object({ type: z.literal('audio'), data: z.base64(), mimeType: z.string().max(255) }),
] as const;
const toolUse = z.object({
  type: z.literal('tool_use'),
  id: z.string().min(1).max(longestName),
  name: z.string().min(1).max(longestName),
  input: z.record(z.string(), z.unknown()),
});
const toolResult = z.object({
  type: z.literal('tool_result'),
  toolUseId: z.string().min(1).max(longestName),
  content: z.array(z.looseObject({ type: z.string().max(255) })).default([]),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});
const asked = z.discriminatedUnion('type', [...said, toolUse, toolResult]);
const answered = z.discriminatedUnion('type', [...said, toolUse]);

const preferences = z.object({
  hints: z.array(z.object({ name: z.string().optional() })).optional(),
  costPriority: z.number().optional(),
  speedPriority: z.number().optional(),
  intelligencePriority: z.number().optional(),
});
const tool = z.object({
  name: z.string().min(1).max(longestName),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  outputSchema: z.looseObject({}).optional(),
});

/** Of a request, without what no client was offered: the context of other servers. */
export const samplingParams = z
  .object({
    messages: z.array(z.object({ role, content: z.union([asked, z.array(asked)]) })),
    systemPrompt: z.string().optional(),
    maxTokens: z.int().min(1),
    temperature: z.number().optional(),
    stopSequences: z.array(z.string()).optional(),
    modelPreferences: preferences.optional(),
    tools: z.array(tool).optional(),
    toolChoice: z.object({ mode: z.enum(['auto', 'required', 'none']).optional() }).optional(),
  })
  .superRefine(({ messages }, context) => {
    messages.forEach((message, at) => {
      const fault = resultsFault(blocksOf(messages[at - 1]), blocksOf(message));
      if (fault !== null) context.addIssue({ code: 'custom', path: ['messages', at, 'content'], message: fault });
    });
  });
export type SamplingParams = z.output<typeof samplingParams>;

/** The one block of a list of one is the answer too. */
const only = (given: unknown): unknown => (Array.isArray(given) && given.length === 1 ? given[0] : given);
const answerWith = <Content extends z.ZodType>(content: Content) =>
  z.object({ role, content: z.preprocess(only, content), model: z.string().max(longestName), stopReason: z.string().optional() });

/** What a model says that was given no tools. */
export const plainAnswer = answerWith(z.discriminatedUnion('type', said));
/** The same where it was given some. */
export const answerWithTools = answerWith(z.union([answered, z.array(answered).min(1)]));

/** Whether a client needs `sampling.tools` to be asked this. */
export function usesTools({ tools, toolChoice, messages }: SamplingParams): boolean {
  if (tools !== undefined || toolChoice !== undefined) return true;
  return messages.flatMap(blocksOf).some(({ type }) => type === 'tool_use' || type === 'tool_result');
}

type Block = z.output<typeof asked>;

function blocksOf(message: SamplingParams['messages'][number] | undefined): readonly Block[] {
  if (!message) return [];
  return Array.isArray(message.content) ? message.content : [message.content];
}

/** The rules that clients check: each use of a tool has its result in the next message, which has nothing else. */
function resultsFault(before: readonly Block[], now: readonly Block[]): string | null {
  const uses = new Set(before.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])));
  const results = now.flatMap((block) => (block.type === 'tool_result' ? [block.toolUseId] : []));
  if (uses.size === 0 && results.length === 0) return null;
  if (results.length < now.length && results.length > 0) return 'a message with results of tools has nothing else';
  const has = new Set(results);
  if (has.size === uses.size && [...uses].every((id) => has.has(id))) return null;
  return 'it has not one result for each use of a tool in the message before';
}
