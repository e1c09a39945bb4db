import { buffer } from 'node:stream/consumers';
import type { Caller, KeptStep } from '#lib/contracts';
import { runTool, type AttemptResult } from '#lib/handlers';
import type { Tool } from './own-contract.js';

/** How a tool is called in a test. */
export interface TestCall {
  readonly caller?: Partial<Caller>;
  readonly sessionId?: string;
  /** From 1. */
  readonly attempt?: number;
  /** Of all attempts of one call. */
  readonly effectKey?: string;
  readonly signal?: AbortSignal;
  /** What earlier attempts have kept: the `steps` of what came of them. */
  readonly steps?: ReadonlyMap<string, KeptStep>;
  /** The time of the attempt, in epoch milliseconds: so that a sleep is over. Default: the time that it is. */
  readonly now?: number;
}

/** A file that a tool has given. */
export interface GivenFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** What came of it, and what the tool said on the way. */
export type TestedTool = AttemptResult & {
  readonly progress: readonly { readonly percent: number; readonly message: string }[];
  /** The files of the answer, in their order. */
  readonly files: readonly GivenFile[];
  /** What this attempt and those before it have kept, by name. */
  readonly steps: ReadonlyMap<string, KeptStep>;
};

const caller: Caller = { tenantId: 'test', userId: 'test-user', tier: 'pro', scopes: [], credentialId: 'test' };

/**
 * Runs a tool once as a worker does: the input is parsed, the time limit holds, the output is checked. Throws what the handler threw where it
 * failed, so that a test shows the cause. A refusal is a result.
 */
export async function testTool(handler: Tool, input: unknown, call: TestCall = {}): Promise<TestedTool> {
  const progress: { percent: number; message: string }[] = [];
  const steps = new Map(call.steps);
  const files: GivenFile[] = [];
  const result = await runTool(
    handler,
    {},
    {
      jobId: call.effectKey ?? 'test-call',
      number: call.attempt ?? 1,
      input,
      caller: { ...caller, ...call.caller },
      sessionId: call.sessionId ?? null,
      stop: call.signal ?? new AbortController().signal,
      onProgress: (percent, message) => void progress.push({ percent, message }),
      hooksAt: () => ({ url: 'http://127.0.0.1:3000', key: 'test' }),
      sendFile: async ({ name, type, content }) => {
        const bytes = await buffer(content);
        const file_id = `file_${files.push({ name, type, bytes })}`;
        const [url, expires_at] = [`http://127.0.0.1:3000/files/${file_id}`, new Date(Date.now() + 3_600_000).toISOString()];
        return { file_id, filename: name, content_type: type, size_bytes: bytes.length, url, expires_at };
      },
      steps: {
        earlier: async () => new Map(call.steps),
        keep: async (name, step) => {
          steps.set(name, step);
          return step;
        },
        ask: async () => undefined,
        now: () => call.now ?? Date.now(),
      },
    },
  );
  if (result.kind === 'failed') throw result.cause;
  return { ...result, progress, files, steps };
}
