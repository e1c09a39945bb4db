// How figures of the API stand on a screen of the console, in English.
import type { z } from 'zod';
import { usageSchema } from '#lib/contracts';
import type { HttpCaller } from '#lib/testing';
import { formatCount, formatMs } from '../../apps/console/src/language/format.js';
import { formatMicros } from '../../apps/console/src/language/money.js';
import type { MixedCalls } from './mixed-calls.js';
import type { Seen } from './seen.js';
import type { Wanted } from './shown.js';

/** A screen and what it should show. */
export interface Screen {
  readonly path: string;
  /** Whose screen it is. Default: an operator's. */
  readonly who?: 'user' | 'boss';
  /** What stands in the path for `:id`. */
  readonly id?: (made: MixedCalls) => Promise<string>;
  /** Selectors of what is not compared. */
  readonly without?: string;
  /** Whether all of its lists are read to their end. */
  readonly isWhole?: true;
  /** @param seen what its page was answered */
  readonly wanted: (made: MixedCalls, seen: Seen) => Promise<Wanted>;
}

type Counts = Readonly<Record<string, number>>;

/** As the console writes them in English. */
export const count = (value: number) => formatCount(value, 'en');
export const money = (micros: number) => formatMicros(micros, 'en');
export const time = (ms: number | null) => (ms === null ? '—' : formatMs(ms));
export const total = (counts: Counts) => Object.values(counts).reduce((sum, value) => sum + value, 0);
export const calls = (value: number) => `${count(value)} ${value === 1 ? 'call' : 'calls'}`;
/** As `shown.ts` reads one. */
export const meter = (value: number, max: number) => `[${Math.min(value, max)}/${max}]`;
/** Those that are there. */
export const joined = (...parts: readonly (string | null | undefined | false)[]) => parts.filter(Boolean).join(' ');
/** The most first. */
export const byCount = ([, a]: readonly [string, number], [, b]: readonly [string, number]) => b - a;

/** What the API answers. */
export async function read<Schema extends z.ZodType>(caller: HttpCaller, path: string, schema: Schema): Promise<z.output<Schema>> {
  return (await caller.get(path)).as(schema);
}

/** Below the title `Your day`. */
export async function myDay(caller: HttpCaller): Promise<NonNullable<Wanted['stats']>> {
  const { calls: used, chat } = await read(caller, '/usage', usageSchema);
  const of = (value: number, limit: number | null) => joined(count(value), limit !== null && `of ${count(limit)}`);
  return {
    'Calls today': of(used.days[0]?.used ?? 0, used.limit),
    Conversations: of(chat.conversations.used, chat.conversations.limit),
    'Chat tokens': of(chat.tokens.used, chat.tokens.limit),
  };
}
