import { readFileSync } from 'node:fs';
import { Presets, SingleBar } from 'cli-progress';
import type { Invoq } from '#lib/client';
import type { ToolDefinition } from '#lib/contracts';
import { print, printError, UsageError } from '#lib/command-line';
import { helpOf, readFlags } from './flags.js';

/** Data goes to standard output, all else to standard error, so that a pipe gets data alone. */
export async function callTool(invoq: Invoq, args: readonly string[]): Promise<number> {
  const [name, ...flags] = args;
  if (!name || name.startsWith('-')) throw new UsageError('name the tool: invoq call <tool>; invoq tools lists them');
  const version = versionIn(flags);
  const definition = await invoq.tool(name, version);
  const { own, parameters } = readFlags(flags, definition.parameters);
  if (own.help) {
    print(helpOf(definition.name, `${definition.description}${endOf(definition)}`, definition.parameters));
    return 0;
  }
  const input = { ...inputIn(own.input), ...parameters };
  const options = {
    ...(own.debug && { debug: true }),
    ...(own.metacognition && { metacognition: true }),
    ...(own['no-cache'] && { enable_cache: false }),
    // A terminal has no use for the bytes; the link is there.
    inline_files: false,
  };
  const how = { options, ...(version !== undefined && { version }) };
  if (own.async) {
    const { job_id, result } = await invoq.start(name, input, how);
    print(job_id ?? JSON.stringify(result?.data, null, 2));
    return 0;
  }
  const bar = process.stderr.isTTY
    ? new SingleBar(
        { format: '{bar} {percentage} % | {message}', stream: process.stderr, barsize: 24, clearOnComplete: true },
        Presets.shades_classic,
      )
    : null;
  bar?.start(100, 0, { message: `Starting ${definition.name}` });
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort(new UsageError('stopped')));
  try {
    const result = await invoq.call(name, input, {
      ...how,
      signal: stopping.signal,
      // Streams only what is long enough to be watched.
      ...(bar && definition.streaming && { onProgress: ({ progress, message }) => bar.update(progress, { message }) }),
    });
    bar?.stop();
    print(JSON.stringify(own.json ? result : result.data, null, 2));
    if (result.debug_info && !own.json) printError(`debug: ${JSON.stringify(result.debug_info, null, 2)}`);
    for (const warning of result.metadata.warnings ?? []) printError(`warning: ${warning}`);
    return 0;
  } finally {
    bar?.stop();
  }
}

function endOf({ deprecated, replacement }: Pick<ToolDefinition, 'deprecated' | 'replacement'>): string {
  return deprecated ? `\n\nDeprecated: calls are refused${replacement ? `; use ${replacement}` : ''}.` : '';
}

/** Needed before the flags can be read: they follow from the version's schema. */
function versionIn(flags: readonly string[]): string | undefined {
  const at = flags.findIndex((flag) => flag === '--version' || flag.startsWith('--version='));
  return at < 0 ? undefined : (flags[at]?.split('=')[1] ?? flags[at + 1]);
}

function inputIn(source: string | boolean | undefined): Record<string, unknown> {
  if (typeof source !== 'string') return {};
  try {
    const parsed: unknown = JSON.parse(readFileSync(source === '-' ? 0 : source, 'utf8'));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch (error) {
    throw new UsageError(`--input ${source}: ${error instanceof Error ? error.message : 'cannot be read'}`);
  }
  throw new UsageError(`--input ${source} must be a JSON object`);
}
