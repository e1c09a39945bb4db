import type { Trace } from '#lib/client';
import { print } from '#lib/command-line';
import { defineCommand } from './command.js';
import { connect } from './connect.js';

/** Columns of the time line. */
const width = 32;

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

/** A line a span: its place in the time of the whole call, its duration, its name. */
export function timeLines({ spans, duration_ms: whole }: Pick<Trace, 'spans' | 'duration_ms'>): readonly string[] {
  return spans.map(({ offset_ms, duration_ms, name }) => {
    const start = Math.max(0, Math.min(width - 1, Math.floor((offset_ms / (whole || 1)) * width)));
    const length = Math.max(1, Math.min(width - start, Math.round((duration_ms / (whole || 1)) * width)));
    const bar = `${' '.repeat(start)}${'█'.repeat(length)}`.padEnd(width);
    return `  ${bar} ${duration_ms.toFixed(1).padStart(9)} ms  ${name}`;
  });
}
