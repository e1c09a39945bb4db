// Schedules of the user, for the agent's tools: at the gateway, in the name of the user.
import { InvoqError, type Schedule } from '#lib/client';
import type { ToldSchedule } from '#lib/contracts';
import { Failure } from '#lib/handlers';

/** A year, in ms: what is to come once begins and ends with its time, so it has no second one. */
export const onceEveryMs = 31_536_000_000;

export function told({
  name,
  tool,
  cron,
  every_ms,
  time_zone,
  ends_at,
  state,
  next_at,
  last_at,
  problem,
  ...more
}: Schedule): ToldSchedule {
  const repeats = every_ms === onceEveryMs && more.starts_at !== null && more.starts_at === ends_at ? null : every_ms;
  const common = { name, tool, arguments: { ...more.arguments }, cron, every_ms: repeats, time_zone, ends_at, state, next_at, last_at };
  return { ...common, problem: problem?.message ?? null };
}

/** What the gateway refuses, in a literal of the tool. */
interface Refused<Literal> {
  readonly literal: Literal;
  readonly message: string;
  readonly details: { path: string; message: string }[];
}

/** The answer of the gateway, or its refusal. Throws a Failure where it cannot be reached, or has an error that the tool does not know. */
export async function answerOf<Data, Code extends string, Literal extends string>(
  request: Promise<Data>,
  literals: Readonly<Record<Code, Literal>>,
): Promise<{ readonly data: Data } | Refused<Literal>> {
  try {
    return { data: await request };
  } catch (error) {
    if (!(error instanceof InvoqError)) throw error;
    const literal = Object.entries<Literal>(literals).find(([code]) => code === error.code)?.[1];
    if (literal !== undefined) return { literal, message: error.message, details: error.details.map((detail) => ({ ...detail })) };
    throw new Failure('network', 'The schedules cannot be reached at the moment', { cause: error, retryable: error.retryable });
  }
}
