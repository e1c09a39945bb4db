// What holds of every answer of the gateway, whatever was sent.
import { z } from 'zod';
import type { Answer } from './answer.js';

const traceId = z.string().regex(/^trace_[A-Za-z0-9_]{1,64}$/);
const envelope = z.looseObject({
  success: z.literal(false),
  error: z.looseObject({ code: z.string(), message: z.string(), retryable: z.boolean() }),
  metadata: z.looseObject({ trace_id: traceId }),
});
const jsonRpc = z.looseObject({ jsonrpc: z.literal('2.0'), error: z.looseObject({ code: z.number(), message: z.string() }) });
/** Errors in the keys of a source document. Their trace id is in the header. */
const native = z.union([
  z.strictObject({ status: z.literal('error'), data: z.null(), error_code: z.string(), message: z.string() }),
  z.strictObject({ success: z.literal(false), message: z.string(), data: z.null(), warnings: z.array(z.string()), errorCode: z.string() }),
  z.looseObject({ success: z.literal(false), error: z.string(), message: z.string() }),
]);
const errorForm = z.union([envelope, jsonRpc, native]);

/** Traces of the inside: stack frames, files, names of the client libraries and of their errors. */
const inside =
  /\n\s+at |node_modules|\/dist\/|PrismaClient|ioredis|ReplyError|\bFST_ERR|\bERR_[A-Z]{3}|\bE(CONN|PIPE|NOENT|ACCES)|SELECT .* FROM/;

interface Expectations {
  readonly allows: readonly number[];
  readonly mustNotLearn: readonly string[];
}

/** The rule that an answer breaks; null when it breaks none. */
export function ruleBroken({ status, headers, text, body, request }: Answer, { allows, mustNotLearn }: Expectations): string | null {
  if (status === 0) return allows.includes(0) ? null : 'no answer';
  if (status >= 500 && !allows.includes(status)) return 'a fault of the server';
  if (!traceId.safeParse(headers.get('x-trace-id')).success) return 'an answer without a trace id';
  if (status >= 400 && !request.startsWith('HEAD ') && !errorForm.safeParse(body).success && !isEventStream(headers))
    return 'an error without an envelope';
  if (status >= 400 && inside.test(text)) return 'the answer tells of the inside';
  const head = [...headers].flat().join(' ');
  const secret = mustNotLearn.find((one) => text.includes(one) || head.includes(one));
  return secret === undefined ? null : `the answer holds what its reader must not learn (${secret.slice(0, 12)}…)`;
}

function isEventStream(headers: Headers): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}
