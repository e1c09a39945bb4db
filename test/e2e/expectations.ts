import { expect } from '@jest/globals';
import { envelopeShape, type EnvelopeShape, type Reply } from '#lib/testing';

interface ExpectedRefusal {
  readonly status: number;
  readonly code: string;
  readonly native?: string;
  /** Paths of the faults in `error.details`, in any order. */
  readonly paths?: readonly string[];
  /** Expected `metadata.tool_name`. */
  readonly tool?: string;
}

type Refused = EnvelopeShape & { readonly error: NonNullable<EnvelopeShape['error']> };

/** The reply is an error envelope of this kind, with the ids that every answer has. */
export function expectRefusal(reply: Reply, { status, code, native, paths, tool }: ExpectedRefusal): Refused {
  expect({ status: reply.status, body: reply.body }).toMatchObject({ status, body: { success: false, error: { code } } });
  const envelope = envelopeShape.parse(reply.body);
  if (!envelope.error) throw new Error('an answer without an error');
  expect(envelope.error.native_code).toBe(native);
  expect(envelope.metadata.trace_id).toBe(reply.headers.get('x-trace-id'));
  expect(reply.headers.get('x-request-id')).toBeTruthy();
  if (paths) expect(envelope.error.details?.map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
  if (tool !== undefined) expect(envelope.metadata.tool_name).toBe(tool);
  return { ...envelope, error: envelope.error };
}

/** The part of an answer that is the same at every door: all but times and the ids of the call. */
export function timeless({ metadata, ...rest }: EnvelopeShape): object {
  const {
    timestamp: _timestamp,
    trace_id: _traceId,
    job_id: _jobId,
    execution_time_ms: _executionMs,
    performance: _performance,
    ...same
  } = metadata;
  return { ...rest, metadata: same };
}

/** The data of a success. */
export function expectSuccess(envelope: EnvelopeShape): Readonly<Record<string, unknown>> {
  const { success, status, error } = envelope;
  expect({ success, status, error }).toEqual({ success: true, status: 'success', error: undefined });
  return envelope.data ?? {};
}
