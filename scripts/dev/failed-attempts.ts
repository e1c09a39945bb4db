// Why attempts fail, and what tools log, read from the logs of the workers while they are written.
import { jsonIn } from '#lib/contracts';
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
const logged = z.object({ event: z.literal('tool-log'), level: z.string(), tool_name: z.string(), msg: z.string() });
const shownPlaces = 4;

/** Tells each failed attempt, and each line of a tool, that is logged from now on. @param logs the files, which need not be there yet */
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
      const failed = /"(attempt-failed|tool-log)"/.test(line) ? describeFailure(line) : null;
      if (failed !== null) tell(failed);
    }
  });
}

/** The tool, and the error with its place in the sources or what it logged; null for a line of anything else. */
export function describeFailure(text: string): string | null {
  const value = jsonIn(text);
  const line = logged.safeParse(value).data;
  if (line) return `${line.tool_name} [${line.level}] ${line.msg}`;
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
