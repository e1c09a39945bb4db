import type { Trace } from '#lib/client';
import { print } from '#lib/command-line';
import { defineCommand } from './command.js';
import { connect } from './connect.js';

type Attributes = Trace['spans'][number]['attributes'];

/** Columns of the time line. */
const width = 32;
/** What explains a span stands below its name. */
const margin = ' '.repeat(width + 17);
const shownPlaces = 4;

export const trace = defineCommand({
  positionals: ['<trace id>'],
  options: { json: { type: 'boolean', help: 'the spans as JSON' } },
  notes: 'The trace id is in the metadata of every answer and in every error. Spans arrive a few seconds after the call.',
  async run({ values: { json }, positionals: [id = ''] }) {
    const found = await connect().trace(id);
    if (json) return print(JSON.stringify(found, null, 2));
    print(`${found.trace_id}  ${found.started_at}  ${found.duration_ms} ms`);
    for (const line of timeLines(found)) print(line);
  },
});

/** A line a span: its place in the time of the whole call, its duration, its name. Below it stands what its tool logged, and why it failed. */
export function timeLines({ spans, duration_ms: whole }: Pick<Trace, 'spans' | 'duration_ms'>): readonly string[] {
  return spans.flatMap(({ offset_ms, duration_ms, name, attributes }) => {
    const start = Math.max(0, Math.min(width - 1, Math.floor((offset_ms / (whole || 1)) * width)));
    const length = Math.max(1, Math.min(width - start, Math.round((duration_ms / (whole || 1)) * width)));
    const bar = `${' '.repeat(start)}${'█'.repeat(length)}`.padEnd(width);
    return [`  ${bar} ${duration_ms.toFixed(1).padStart(9)} ms  ${name}`, ...logLines(attributes), ...causeLines(attributes)];
  });
}

/** What the tool logged in an attempt, where the reader may see it. */
function logLines({ 'invoq.log': lines }: Attributes): readonly string[] {
  return Array.isArray(lines) ? lines.map((line) => `${margin}${String(line)}`) : [];
}

/** Why an attempt failed, where the installation shows it: the message, and where in the sources. */
function causeLines({
  'exception.type': type,
  'exception.message': message,
  'exception.stacktrace': stack,
}: Attributes): readonly string[] {
  if (typeof message !== 'string') return [];
  const places = typeof stack === 'string' ? stack.split('\n').filter((line) => /^ +at /.test(line)) : [];
  return [`${String(type)}: ${message}`, ...places.slice(0, shownPlaces).map((line) => `  ${line.trim()}`)].map(
    (line) => `${margin}${line}`,
  );
}
