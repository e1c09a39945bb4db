import { createHash } from 'node:crypto';
import { InvoqError, type InputOf, type Invoq, type OutputOf, type Progress, type ToolResult } from '#lib/client';
import type { ProductTools } from '#lib/contracts';
import { printError } from '#lib/command-line';

interface JobOptions {
  /** The working session of the MemoTree tools. */
  readonly sessionId?: string;
  readonly onProgress?: (progress: Progress) => void;
  /** Cancels the job. */
  readonly signal?: AbortSignal;
}

/**
 * Calls a tool as a job and waits for its end: a long import outlasts a gateway that restarts. Throws the reason of the signal when the job
 * is cancelled by it; one that had ended before gives its result all the same.
 */
export async function runJob<Name extends keyof ProductTools>(
  invoq: Invoq<ProductTools>,
  { name, input }: { readonly name: Name; readonly input: InputOf<ProductTools, Name> },
  { sessionId, onProgress, signal }: JobOptions,
): Promise<ToolResult<OutputOf<ProductTools, Name>>> {
  const stopping = signal && { signal };
  const started = await invoq.start(name, input, { ...(sessionId !== undefined && { sessionId }), ...stopping });
  if (started.result) return started.result;
  try {
    return await invoq.wait<OutputOf<ProductTools, Name>>(started.job_id, { ...stopping, ...(onProgress && { onProgress }) });
  } catch (error) {
    if (!signal?.aborted || (await isCancelled(invoq, started.job_id))) throw error;
    return invoq.wait<OutputOf<ProductTools, Name>>(started.job_id);
  }
}

/** Cancels a job. @returns whether it had not ended before */
async function isCancelled(invoq: Invoq<ProductTools>, jobId: string): Promise<boolean> {
  try {
    await invoq.cancel(jobId);
    return true;
  } catch (error) {
    if (error instanceof InvoqError && error.code === 'CONFLICT') return false;
    printError(`The job ${jobId} could not be cancelled and may still run: ${error instanceof Error ? error.message : String(error)}`);
    return true;
  }
}

/** The id of a session of its own for these parts, so that the same command meets what it staged before, and nothing else. */
export function sessionFor(...parts: readonly string[]): string {
  return `files-${createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16)}`;
}
