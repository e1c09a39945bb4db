// The JSON in `chat_turn.steps`: one entry for each call of the model.
import { z } from 'zod';

/** The most characters of one result that are kept for later turns. */
const maxResultCharacters = 8_000;

const stepSchema = z.object({
  text: z.string(),
  calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.record(z.string(), z.unknown()) })),
  results: z.array(
    z.object({
      type: z.literal('tool_result'),
      id: z.string(),
      name: z.string(),
      result: z.record(z.string(), z.unknown()),
      job_id: z.string().optional(),
    }),
  ),
});
const stepsSchema = z.array(stepSchema);

interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ToolResult {
  readonly type: 'tool_result';
  /** That of its call. */
  readonly id: string;
  readonly name: string;
  readonly result: Readonly<Record<string, unknown>>;
  readonly job_id?: string | undefined;
  readonly result_id?: string | undefined;
}

/** One call of the model: what it said, the tools that it asked for, and what they gave. */
export interface TurnStep {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly results: readonly ToolResult[];
}

/** A turn as later turns see it. */
export interface PastTurn {
  readonly message: string;
  readonly steps: readonly TurnStep[];
}

/** Steps as plain JSON that Postgres and Redis take. A result of more than 8,000 characters becomes `{ truncated: true, text }`. */
export function toStoredSteps(steps: readonly TurnStep[]) {
  return steps.map(({ text, calls, results }) => ({
    text: storable(text),
    calls: calls.map(({ id, name, arguments: input }) => ({ id: storable(id), name: storable(name), arguments: toJson(input) })),
    results: results.map(({ type, id, name, result, job_id }) => ({
      type,
      id: storable(id),
      name: storable(name),
      result: shorten(result),
      ...(job_id !== undefined && { job_id }),
    })),
  }));
}

/** The steps of a turn; null for anything that `toStoredSteps` did not make. */
export function parseSteps(stored: unknown): readonly TurnStep[] | null {
  return stepsSchema.safeParse(stored).data ?? null;
}

/** A stored turn as later turns see it: its text alone when its steps are missing or unreadable, null when it has no answer. */
export function toPastTurn(turn: { readonly message: string; readonly content: string; readonly steps: unknown }): PastTurn | null {
  const { message, content } = turn;
  const steps = parseSteps(turn.steps);
  if (steps && steps.length > 0) return { message, steps };
  return content ? { message, steps: [{ text: content, calls: [], results: [] }] } : null;
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Postgres stores neither U+0000 nor half of a surrogate pair. A model may write both, also as names of parameters. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

function toJson(value: unknown): Json {
  // `JSON.stringify` writes both as escapes; an escaped backslash before such letters is matched by the other branch.
  const text = JSON.stringify(value ?? null).replaceAll(/\\(?:u(?:0000|d[89a-f][0-9a-f]{2})|.)/g, (escape) =>
    escape.length > 2 ? '\\ufffd' : escape,
  );
  const json: Json = JSON.parse(text);
  return json;
}

function shorten(result: Readonly<Record<string, unknown>>): Json {
  const text = JSON.stringify(result);
  if (text.length <= maxResultCharacters) return toJson(result);
  return { truncated: true, text: text.slice(0, maxResultCharacters).toWellFormed() };
}
