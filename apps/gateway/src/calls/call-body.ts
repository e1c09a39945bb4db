import { isJsonObject } from '#lib/contracts';
import { isTraceId } from '#lib/platform';

interface CallBody {
  readonly input: unknown;
  readonly debug: unknown;
  /** The call's own trace id, if it brought one. */
  readonly traceId: string | null;
}

/** The parameters in a body, with `_trace_id` and `debug` taken out (C-15). */
export function parametersInBody(body: unknown): CallBody {
  if (body === undefined) return { input: {}, debug: undefined, traceId: null };
  if (!isJsonObject(body)) return { input: body, debug: undefined, traceId: null };
  const { _trace_id: traceId, debug, ...input }: Record<string, unknown> = { ...body };
  return { input, debug, traceId: isTraceId(traceId) ? traceId : null };
}
