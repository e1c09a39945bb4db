import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import {
  invalidParameter,
  principal,
  type Caller,
  type ErrorKind,
  type ErrorSample,
  type ErrorsPage,
  type ErrorsQuery,
} from '#lib/contracts';
import { errorMinuteMs, type CountedSample } from '#lib/transport';
import { requireScopeOf } from '../http/tenant-rights.js';
import { stored } from '../http/stored.js';
import { Cursors } from '../http/cursors.js';
import { dayMs, type AskedErrors, ErrorCounts, type KindAt } from './error-counts.js';
import { Stores } from '../stores.js';

const hourMs = 3_600_000;
/** A series has at most so many steps. */
const mostSteps = 120;
const minuteSteps = [1, 2, 5, 10, 15].map((minutes) => minutes * errorMinuteMs);
const mostDays = 366;
/** Minutes are there for a day; a window that was chosen as the last 24 hours may be a little late. */
const minutesKeptMs = dayMs + 10 * errorMinuteMs;
const shownSamples = 3;

const place = z.strictObject({ offset: z.number().int().nonnegative(), from: z.number(), to: z.number() });

type Counts = Pick<ErrorCounts, 'ofMinutes' | 'ofDays'>;

/** A time as it is counted: by the minute, or by the day. */
interface Window {
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
}

/** What ended with an error, by kind. */
@Injectable()
export class CallErrors {
  readonly #cursors: Cursors<z.infer<typeof place>>;

  constructor(
    @Inject(Stores) { settings }: { readonly settings: Pick<Stores['settings'], 'SEALING_KEYS'> },
    @Inject(ErrorCounts) private readonly counts: Counts,
  ) {
    this.#cursors = new Cursors(settings.SEALING_KEYS, place);
  }

  /** Throws PERMISSION_DENIED without the scope for it, INVALID_PARAMS for a time that is none, NETWORK_ERROR while a store is away. */
  async page(caller: Caller, query: ErrorsQuery, now = Date.now()): Promise<ErrorsPage> {
    const { scope, tenant, tool, code, cause, cursor, limit } = query;
    requireScopeOf(caller, scope, 'Errors');
    const binding = JSON.stringify([principal(caller), scope, tenant, tool, code, cause, query.from, query.to]);
    const behind = cursor === undefined ? null : this.#cursors.open(cursor, binding);
    const window = windowOf(behind ?? timeOf(query, now), now);
    const { from, to, stepMs } = window;
    const asked: AskedErrors = { tool, code, cause, tenant: scope === 'tenant' ? caller.tenantId : tenant, from, to };
    const found = await stored('The errors cannot be read at the moment', () =>
      stepMs === dayMs ? this.counts.ofDays(asked, now) : this.counts.ofMinutes(asked),
    );
    const kinds = [...Map.groupBy(found, ({ id }) => id).values()].map((parts) => merged(parts, window));
    kinds.sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1));
    const offset = behind?.offset ?? 0;
    const hasMore = kinds.length > offset + limit;
    return {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      total: { caller: sum(kinds, 'caller'), system: sum(kinds, 'system') },
      step_ms: stepMs,
      series: startsOf(window).map((at, step) => ({
        at: new Date(at).toISOString(),
        caller: sum(kinds, 'caller', step),
        system: sum(kinds, 'system', step),
      })),
      errors: kinds.slice(offset, offset + limit),
      pagination: { has_more: hasMore, next_cursor: hasMore ? this.#cursors.seal({ offset: offset + limit, from, to }, binding) : null },
    };
  }
}

function timeOf(query: Pick<ErrorsQuery, 'from' | 'to'>, now: number): Pick<Window, 'from' | 'to'> {
  const to = query.to === undefined ? now : Date.parse(query.to);
  const from = query.from === undefined ? to - hourMs : Date.parse(query.from);
  if (from >= to) throw invalidParameter('from', 'must be before to');
  if (to - from > mostDays * dayMs) throw invalidParameter('from', `must be at most ${mostDays} days before to`);
  return { from, to };
}

function windowOf({ from, to }: Pick<Window, 'from' | 'to'>, now: number): Window {
  const hasMinutes = from >= now - minutesKeptMs;
  const unit = hasMinutes ? errorMinuteMs : dayMs;
  const [first, last] = [Math.floor(from / unit) * unit, Math.ceil(to / unit) * unit];
  const stepMs = hasMinutes ? (minuteSteps.find((step) => (last - first) / step <= mostSteps) ?? 30 * errorMinuteMs) : dayMs;
  return { from: first, to: last, stepMs };
}

function startsOf({ from, to, stepMs }: Window): readonly number[] {
  return Array.from({ length: Math.ceil((to - from) / stepMs) }, (_, step) => from + step * stepMs);
}

/** The same kind of several times. */
function merged(parts: readonly KindAt[], window: Window): ErrorKind {
  const [{ id, kind } = noPart()] = parts;
  const counts = startsOf(window).map(() => 0);
  for (const part of parts)
    for (const [at, count] of part.counts) {
      const step = Math.floor((at - window.from) / window.stepMs);
      counts[step] = (counts[step] ?? 0) + count;
    }
  return {
    id,
    ...kind,
    count: counts.reduce((total, count) => total + count, 0),
    counts,
    first_at: new Date(Math.min(...parts.map(({ firstAt }) => firstAt))).toISOString(),
    last_at: new Date(Math.max(...parts.map(({ lastAt }) => lastAt))).toISOString(),
    samples: parts
      .flatMap(({ samples }) => samples)
      .sort((a, b) => b.at - a.at)
      .slice(0, shownSamples)
      .map(shownSample),
  };
}

function shownSample({ at, ...sample }: CountedSample): ErrorSample {
  return { at: new Date(at).toISOString(), ...sample };
}

/** Of all steps, or of one. */
function sum(kinds: readonly ErrorKind[], cause: ErrorKind['cause'], step?: number): number {
  return kinds
    .filter((kind) => kind.cause === cause)
    .reduce((total, { count, counts }) => total + (step === undefined ? count : (counts[step] ?? 0)), 0);
}

function noPart(): never {
  throw new TypeError('A kind has at least one part');
}
