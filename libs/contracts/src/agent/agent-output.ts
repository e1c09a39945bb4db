// The output of a chat turn, which its followers read while it runs (VL-05). The last two of the six documented events, `done` and
// `error`, are made from the turn's outcome.
import { z } from 'zod';

const usage = z.object({ input_tokens: z.int().min(0), output_tokens: z.int().min(0) });
/** Tokens as the model's provider counted them. */
export type TokenUsage = z.infer<typeof usage>;

export const finishReasons = ['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other'] as const;
export type FinishReason = (typeof finishReasons)[number];

const toolCall = z.object({
  type: z.literal('tool_call'),
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
});

const outputSchema = z.discriminatedUnion('type', [
  /** One more call of the model, counted from 1. */
  z.object({ type: z.literal('thinking'), iteration: z.int().min(1) }),
  z.object({ type: z.literal('content'), content: z.string() }),
  toolCall,
  /** The model has finished this iteration. This entry is internal: an attempt that was interrupted resumes after the last one. */
  z.object({ type: z.literal('step'), iteration: z.int().min(1), finish_reason: z.enum(finishReasons), usage }),
  /** A call rests for what somebody is asked, and the turn rests with it. Times are epoch milliseconds. */
  z.object({
    type: z.literal('tool_rest'),
    id: z.string(),
    name: z.string(),
    job_id: z.string(),
    input_request: z.string(),
    until: z.number(),
  }),
  z.object({
    type: z.literal('tool_result'),
    id: z.string(),
    name: z.string(),
    result: z.record(z.string(), z.unknown()),
    /** The job of the call, where it had one of its own. */
    job_id: z.string().optional(),
    /** What its result is read in parts by, where that is not the job. */
    result_id: z.string().optional(),
    /** True where somebody declined it. */
    declined: z.boolean().optional(),
  }),
]);

export type AgentOutput = z.infer<typeof outputSchema>;
export type AgentToolCall = Extract<AgentOutput, { type: 'tool_call' }>;
export type AgentToolRest = Extract<AgentOutput, { type: 'tool_rest' }>;
export type AgentToolResult = Extract<AgentOutput, { type: 'tool_result' }>;

/** Parses one entry of a turn's output. Throws a ZodError for anything else. */
export function parseAgentOutput(data: unknown): AgentOutput {
  return outputSchema.parse(data);
}

/** An entry that says that a call rests; null for every other. Throws a ZodError for what is no output. */
export function toolRestIn(data: unknown): AgentToolRest | null {
  if (typeof data !== 'object' || data === null || !('type' in data) || data.type !== 'tool_rest') return null;
  const output = parseAgentOutput(data);
  return output.type === 'tool_rest' ? output : null;
}

/** A documented event of the agent (VL-05): its type with its data. */
export type AgentEvent =
  | Exclude<AgentOutput, { type: 'step' | 'tool_rest' }>
  | { readonly type: 'done'; readonly content: string }
  | { readonly type: 'error'; readonly error: string };
