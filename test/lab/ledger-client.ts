// The handlers' client of the ledger: one request for each call, no retries, and each fault keeps its kind.
import { z } from 'zod';
import { Failure, retryAfterMs } from '#lib/handlers';

export interface LedgerCall {
  readonly order: string;
  /** The invocation's own key. */
  readonly key: string;
  readonly attempt: number;
}

const effectAnswer = z.object({ effect_id: z.string() });
const attemptAnswer = z.object({ attempt: z.int() });

export interface LedgerClient {
  /** Makes the effect of this key, or finds it. */
  readonly effect: (call: LedgerCall, signal: AbortSignal) => Promise<string>;
  /** Counts an attempt and gives its number. */
  readonly attempt: (call: LedgerCall, signal: AbortSignal) => Promise<number>;
  /** Reports a point that the handler has reached. The ledger may hold it there. */
  readonly note: (call: LedgerCall, note: string, signal?: AbortSignal) => Promise<void>;
  /** Asks for a fault of the upstream: a reset connection, 429 with this Retry-After, or 500. */
  readonly fault: (
    call: LedgerCall,
    fault: { readonly how: 'reset' | 'limit' | 'fail'; readonly retryAfter?: string },
    signal: AbortSignal,
  ) => Promise<void>;
}

export function ledgerAt(url: string): LedgerClient {
  const post = (path: string, body: object, signal: AbortSignal | undefined) => send(new URL(path, url), body, signal);
  return {
    effect: async (call, signal) => effectAnswer.parse(await post('/effects', call, signal)).effect_id,
    attempt: async (call, signal) => attemptAnswer.parse(await post('/attempts', call, signal)).attempt,
    note: async (call, note, signal) => void (await post('/notes', { ...call, note }, signal)),
    fault: async (call, fault, signal) => void (await post('/faults', { ...call, ...fault }, signal)),
  };
}

async function send(url: URL, body: object, signal: AbortSignal | undefined): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, pid: process.pid }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  if (response.status === 429) {
    const hintMs = retryAfterMs(response.headers.get('retry-after'), Date.now());
    throw new Failure('rate-limit', 'the ledger asks to come back later', { hintMs });
  }
  if (!response.ok) throw new Failure('service', `the ledger answered with ${response.status}`);
  const answer: unknown = JSON.parse(text);
  return answer;
}
