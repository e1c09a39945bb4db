import { createHash } from 'node:crypto';
import type { InputOf, Invoq, OutputOf, Progress, ToolResult } from '#lib/client';
import type { ProductTools } from '#lib/contracts';

interface JobOptions {
  /** The working session of the MemoTree tools. */
  readonly sessionId: string;
  readonly onProgress?: (progress: Progress) => void;
}

/** Calls a tool as a job and waits for its end: a long import outlasts a gateway that restarts. */
export async function runJob<Name extends keyof ProductTools>(
  invoq: Invoq<ProductTools>,
  { name, input }: { readonly name: Name; readonly input: InputOf<ProductTools, Name> },
  { sessionId, onProgress }: JobOptions,
): Promise<ToolResult<OutputOf<ProductTools, Name>>> {
  const started = await invoq.start(name, input, { sessionId });
  return started.result ?? invoq.wait<OutputOf<ProductTools, Name>>(started.job_id, onProgress && { onProgress });
}

/** The id of a session of its own for these parts, so that the same command meets what it staged before, and nothing else. */
export function sessionFor(...parts: readonly string[]): string {
  return `files-${createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16)}`;
}
