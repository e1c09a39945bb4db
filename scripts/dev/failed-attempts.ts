// Why attempts fail, read from the logs of the workers while they are written.
import { watch, type FSWatcher } from 'chokidar';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { z } from 'zod';

const failedAttempt = z.object({
  event: z.literal('attempt-failed'),
  tool_name: z.string(),
  attempt: z.int(),
  failure: z.string(),
  trace_id: z.string(),
  err: z.object({ type: z.string().optional(), message: z.string(), stack: z.string().optional() }),
});
const shownPlaces = 4;

/** Tells each failed attempt that is logged from now on. @param logs the files, which need not be there yet */
export function watchFailedAttempts(logs: readonly string[], tell: (text: string) => void): FSWatcher {
  const read = new Map(logs.map((log) => [log, sizeOf(log)]));
  return watch([...logs], { ignoreInitial: false }).on('all', (_event, log) => {
    const from = read.get(log) ?? 0;
    const size = sizeOf(log);
    // A log that has become shorter was begun anew.
    const added = textOf(log, size < from ? 0 : from, size);
    const end = added.lastIndexOf('\n') + 1;
    read.set(log, (size < from ? 0 : from) + Buffer.byteLength(added.slice(0, end)));
    for (const line of added.slice(0, end).split('\n')) {
      const failed = line.includes('"attempt-failed"') ? describeFailure(line) : null;
      if (failed !== null) tell(failed);
    }
  });
}

/** The tool, the error and where in the sources; null for a line of anything else. */
export function describeFailure(line: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const { data } = failedAttempt.safeParse(value);
  if (!data) return null;
  const { type = 'Error', message, stack = '' } = data.err;
  const places = stack.split('\n').filter((one) => /^ +at /.test(one));
  const first = `✗ ${data.tool_name}, attempt ${data.attempt} failed (${data.failure}): ${type}: ${message}`;
  return [first, ...places.slice(0, shownPlaces), `    npx invoq trace ${data.trace_id}`].join('\n');
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function textOf(file: string, from: number, to: number): string {
  if (to <= from) return '';
  const buffer = Buffer.alloc(to - from);
  const descriptor = openSync(file, 'r');
  try {
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, from));
  } finally {
    closeSync(descriptor);
  }
}
