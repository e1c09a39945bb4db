// What a client reads from the gateway. Loose schemas: the checker must see everything that came.
import { z } from 'zod';

const envelope = z.looseObject({
  success: z.boolean(),
  error: z.looseObject({ code: z.string(), retryable: z.boolean(), retry_after_ms: z.number().optional() }).optional(),
  metadata: z.looseObject({ trace_id: z.string().min(1), job_id: z.string().optional(), attempts: z.number().optional() }),
});
export type AnswerEnvelope = z.output<typeof envelope>;

const accepted = z.looseObject({ job_id: z.string() });
const polled = z.looseObject({ job_id: z.string(), state: z.string(), result: envelope.nullable() });
export type PolledJob = z.output<typeof polled>;

export const parseEnvelope = (body: unknown): AnswerEnvelope | null => envelope.safeParse(body).data ?? null;
export const parseAccepted = (body: unknown): string | null => accepted.safeParse(body).data?.job_id ?? null;
export const parsePolled = (body: unknown): PolledJob | null => polled.safeParse(body).data ?? null;

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
