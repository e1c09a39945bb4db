import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Batch, BatchLine } from '#lib/client';
import { gateway, invoq } from './gateway.js';
import { queries } from './queries.js';
import { useFeed } from './use-feed.js';

export const batchesKey = 'batches';

/** Reads all that is shown of them again. */
export function batchesChanged(): Promise<void> {
  return queries.invalidateQueries({ queryKey: [batchesKey] });
}

/** One batch, with its counts as they change until it has ended. */
export function useBatch(id: string) {
  const read = useQuery({ queryKey: [batchesKey, 'one', id], queryFn: ({ signal }) => invoq.batches.get(id, { signal }) });
  const [told, setTold] = useState<Batch | null>(null);
  const pushed = told?.batch_id === id ? told : undefined;
  const batch = newest(read.data, pushed);
  const isOpen = batch !== undefined && batch.finished_at === null;
  const feed = useFeed(isOpen ? `batches/${encodeURIComponent(id)}/events` : null, ({ event, data }) => {
    if (event !== 'batch') return;
    const next: Batch = JSON.parse(data);
    setTold(next);
  });
  return { read, batch, isOpen, feed };
}

/** An end is never taken back by what was read before it. */
function newest(read: Batch | undefined, pushed: Batch | undefined): Batch | undefined {
  if (read && read.finished_at !== null) return read;
  return pushed ?? read;
}

/** What is shown of one result. */
export interface ResultShown {
  readonly index: number;
  readonly id: string | number | null;
  readonly tool: string;
  readonly jobId: string | null;
  readonly tookMs: number | null;
  /** Null for a success. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** The results that are there, in the order of the calls, up to the first call that has not ended. What the tools gave is dropped at once: it may be large. */
export async function readResults(id: string, signal: AbortSignal): Promise<readonly ResultShown[]> {
  const response = await gateway.send(`batches/${encodeURIComponent(id)}/results`, { signal });
  if (!response.ok || !response.body) throw await gateway.refusal(response, signal);
  const results: ResultShown[] = [];
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) results.push(shownOf(line));
  }
  return results;
}

function shownOf(line: string): ResultShown {
  const { index, id, success, error, metadata }: BatchLine = JSON.parse(line);
  return {
    index,
    id,
    tool: metadata.tool_name,
    jobId: metadata.job_id ?? null,
    tookMs: metadata.execution_time_ms ?? null,
    error: success || !error ? null : { code: error.native_code ?? error.code, message: error.message },
  };
}
