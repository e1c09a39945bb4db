// A server that does nothing until a person has opened an address (error -32042 of MCP, URLElicitationRequired).
import { setTimeout } from 'node:timers/promises';
import { ProtocolErrorCode, type ProtocolError } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { orAborted } from './or-aborted.js';
import type { UpstreamAnswer, UpstreamCall } from './upstream.js';

const elicitation = z.object({ message: z.string(), url: z.string(), elicitationId: z.string().optional() });
/** One that a server needs before it does anything. */
export type Elicitation = z.output<typeof elicitation>;
const data = z.object({ elicitations: z.array(elicitation).min(1) });

/** How long somebody who has opened an address may take there before they are asked again, in ms, and how often the server is asked. */
const openMs = 20_000;
const lookMs = 1_000;
/** So many of one connection are told to other processes within this time, in ms, and no longer ones. */
const [mostTold, tellMs, longestId] = [20, 1_000, 512];

/** What the error asks a person to open; null for every other error. */
export function requiredAddresses({ code, data: given }: ProtocolError): readonly Elicitation[] | null {
  if (Number(code) !== ProtocolErrorCode.UrlElicitationRequired) return null;
  return data.safeParse(given).data?.elicitations ?? null;
}

/** What a server says that is done at the addresses of one connection. */
export class ElicitationsOver {
  readonly #listeners = new Set<(id: string) => void>();
  #told = { since: -Infinity, count: 0 };

  /** @returns whether others are told too: each of them looks for it, and a server may say it without end */
  note(id: string): boolean {
    for (const listener of this.#listeners) listener(id);
    const now = performance.now();
    if (now - this.#told.since > tellMs) this.#told = { since: now, count: 0 };
    this.#told.count += 1;
    return this.#told.count <= mostTold && id.length <= longestId;
  }

  /** Waits until one of them is over, or for a while. Rejects when the signal fires. */
  async any(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const heard = new AbortController();
    const listener = (id: string): void => void (ids.includes(id) && heard.abort());
    this.#listeners.add(listener);
    await setTimeout(lookMs, undefined, { signal: AbortSignal.any([signal, heard.signal]) }).catch(() => undefined);
    this.#listeners.delete(listener);
    signal.throwIfAborted();
  }
}

/**
 * Makes a call until its server needs no address any more. Whoever has opened one needs a while there, so the server is asked again for a time; then
 * they are asked once more.
 */
export async function withOpenedAddresses(
  { timeoutMs, signal, onAddress }: Pick<UpstreamCall, 'timeoutMs' | 'signal' | 'onAddress'>,
  over: ElicitationsOver,
  call: () => Promise<UpstreamAnswer | readonly Elicitation[]>,
): Promise<UpstreamAnswer> {
  let until = 0;
  for (;;) {
    const answer = await call();
    if ('kind' in answer) return answer;
    if (performance.now() < until) {
      await over.any(
        answer.flatMap(({ elicitationId }) => elicitationId ?? []),
        signal,
      );
      continue;
    }
    for (const asked of answer) {
      // A call that rests is over here.
      const { action } = await orAborted(onAddress(asked), signal);
      if (action !== 'accept') return { kind: 'refused', invalidParams: false, message: noMessage[action] };
    }
    if (until === 0) until = performance.now() + Math.min(openMs, timeoutMs / 2);
  }
}

const noMessage = {
  decline: 'it needs its user to open an address, who has said no',
  cancel: 'it needs its user to open an address, which nobody has done',
} as const;
