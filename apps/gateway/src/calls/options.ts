import { z } from 'zod';
import { isJsonObject, mostRestMs, parseOrRefuse } from '#lib/contracts';

const flag = z.union(
  [z.boolean(), z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1')],
  'must be true or false',
);
const anAddress = 'must be an address of http or https, up to 2,048 characters';
const wholeMs = `must be whole milliseconds, 0–${mostRestMs} (a year)`;
const schema = z.object({
  enable_cache: flag.default(true),
  enable_retry: flag.default(true),
  enable_streaming: flag.default(true),
  debug: flag.default(false),
  /** False for those who pass answers on to a model: links alone then, no bytes. */
  inline_files: flag.default(true),
  /** A second look at a success, told in `metadata.metacognition` (TU-111). */
  metacognition: flag.default(false),
  /** How answers should be, for that look. A JSON object; in a query its text. */
  personality: z.union([z.record(z.string(), z.unknown()), z.string().transform(objectIn)], 'must be a JSON object').optional(),
  /** When it is to run: RFC 3339 with an offset. */
  run_at: z.iso.datetime({ offset: true, error: 'must be a time of RFC 3339 with an offset, such as 2030-01-31T09:00:00Z' }).optional(),
  /** Or in how many milliseconds. */
  delay_ms: z
    .union(
      [
        z.int(),
        z
          .string()
          .regex(/^\d{1,12}$/)
          .transform(Number),
      ],
      wholeMs,
    )
    .pipe(z.int().min(0, wholeMs).max(mostRestMs, wholeMs))
    .optional(),
  /** Who is told of its end: an address of the origin of a webhook of the tenant, which signs it. */
  callback_url: z.string(anAddress).refine(isAddress, anAddress).optional(),
});

/** How a call is to be made, apart from its parameters (TU-104). */
export type CallOptions = z.output<typeof schema>;

/** Of a call that names none. */
export const defaultOptions: CallOptions = schema.parse({});

/** From a query string or an `options` object; names that are no option are left to others. Throws INVALID_PARAMS. */
export function parseOptions(given: unknown): CallOptions {
  return parseOrRefuse(schema, given ?? {});
}

function isAddress(text: string): boolean {
  return text.length <= 2_048 && /^https?:[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text);
}

function objectIn(text: string, context: z.RefinementCtx): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isJsonObject(parsed)) return { ...parsed };
  } catch {
    // Told below, with everything else that is no object.
  }
  context.addIssue({ code: 'custom', message: 'no object' });
  return z.NEVER;
}

export const optionNames: ReadonlySet<string> = new Set(Object.keys(schema.shape));
