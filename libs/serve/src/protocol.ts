// What the gateway says, in the words of docs/worker-protocol.md.
import { z } from 'zod';
import { tiers } from '#lib/contracts';

export const welcome = z.object({
  /** A part of an address. */
  worker: z.string().regex(/^[A-Za-z0-9_-]{1,120}$/, 'must be the id of a worker'),
  heartbeat_ms: z.number(),
  silence_ms: z.number(),
  /** Whether outputs may have numbers; older gateways refuse them. */
  output_numbers: z.boolean().default(false),
  /** Whether ends may have `network_ms`; older gateways refuse it. */
  network_times: z.boolean().default(false),
  tools: z.array(
    z.object({ name: z.string(), version: z.string(), state: z.string(), reason: z.string().optional(), warnings: z.array(z.string()) }),
  ),
});

export const attemptFrame = z.object({
  attempt: z.string(),
  tool: z.string(),
  version: z.string(),
  input: z.unknown(),
  effect_key: z.string(),
  number: z.number(),
  trace_id: z.string(),
  session_id: z.string().nullable(),
  caller: z.object({ tenant_id: z.string(), user_id: z.string().nullable(), tier: z.enum(tiers) }),
  known: z.array(z.string()).optional(),
  earlier_output: z.array(z.unknown()).optional(),
});
export type AttemptFrame = z.output<typeof attemptFrame>;

export const stopFrame = z.object({ attempt: z.string() });
export const settledFrame = z.object({ attempts: z.array(z.string()) });
export const toolsFrame = z.object({ served: z.array(z.string()) });
export const received = z.object({ settled: z.array(z.string()), unknown: z.array(z.string()) });

/** A message to the gateway. */
export interface Message {
  readonly type: string;
  readonly attempt?: string;
  readonly [field: string]: unknown;
}
