import type { CallOptions, Invoq } from '#lib/client';
import { exitCodes, listenForStop, print, printError, UsageError } from '#lib/command-line';
// Types alone: a call loads no contracts, which would take it as long as all the rest.
import type { ProductTools, ToolDefinition } from '#lib/contracts';
import { wholeNumber, type Command } from '../command.js';
import { connect } from '../connect.js';
import { ProgressBar } from '../progress-bar.js';
import { readInput } from './read-input.js';
import { ownHelp, readCallArguments, toolHelp, type CallArguments } from './tool-options.js';

/** Data goes to standard output, everything else to standard error, so that a pipe gets data alone. */
export const call: Command = {
  usage: '<tool> [--<parameter> <value> …] [options]',
  help: `  <tool> --help      the parameters of one tool\n${ownHelp}`,
  isHelpRequest: ([first]) => first === '--help' || first === '-h',
  async run([name, ...args]) {
    if (!name || name.startsWith('-')) throw new UsageError('<tool> is missing; invoq tools lists them');
    const invoq = connect();
    const version = versionIn(args);
    const definition = await invoq.tool(name, version);
    const { own, parameters } = readCallArguments(args, definition.parameters);
    if (own.help) {
      print(toolHelp(definition.name, `${definition.description}${deprecationOf(definition)}`, definition.parameters));
      return exitCodes.done;
    }
    const input = { ...readInput(textOf(own.input)), ...parameters };
    const options: CallOptions = { options: gatewayOptions(own), ...(version !== undefined && { version }) };
    const maxItems = wholeNumber('--max-items', textOf(own['max-items']), { min: 1, max: 1_000_000 });
    if (maxItems !== undefined && !own.all) throw new UsageError('--max-items is for --all');
    if (own.all) {
      const pages = { ...options, ...(maxItems !== undefined && { maxItems }) };
      for await (const item of invoq.items<string>(name, input, pages)) print(JSON.stringify(item));
      return exitCodes.done;
    }
    if (own.async || own['run-at'] !== undefined || own['delay-ms'] !== undefined) {
      const { job_id, result } = await invoq.start<string>(name, input, options);
      print(job_id ?? JSON.stringify(result?.data, null, 2));
      return exitCodes.done;
    }
    return waitForResult(invoq, definition, { input, options, isWhole: own.json === true });
  },
};

interface WaitedCall {
  readonly input: Readonly<Record<string, unknown>>;
  readonly options: CallOptions;
  /** Whether the metadata is printed too. */
  readonly isWhole: boolean;
}

/**
 * Ctrl-C cancels the call; what is printed is what came of that. The call is read as a stream, which tells the id of its job at once: the
 * answer to a cancellation says whether it had ended before.
 */
async function waitForResult(
  invoq: Invoq<ProductTools>,
  definition: ToolDefinition,
  { input, options, isWhole }: WaitedCall,
): Promise<number> {
  const { name, streaming } = definition;
  const bar = new ProgressBar(process.stderr, {
    format: '{bar} {percentage} % | {message}',
    total: 100,
    payload: { message: `Starting ${name}` },
  });
  const stopping = new AbortController();
  const stop = new Error('interrupted');
  using _listening = listenForStop({
    onStop: () => stopping.abort(stop),
    onSecondStop: () => {
      printError('Left. The call may still run: invoq jobs list shows it.');
      process.exit(exitCodes.interrupted);
    },
  });
  try {
    const result = await invoq.call<string>(name, input, {
      ...options,
      signal: stopping.signal,
      onProgress: ({ progress, message }) => {
        if (streaming) bar.update(progress, { message });
      },
      onRest: ({ reason, until, input_request: asked }) => {
        const how = asked === undefined ? '' : `; see invoq inputs show ${asked}, and answer with invoq inputs accept or decline`;
        printError(`It rests (${reason}) until ${until}${how}`);
      },
    });
    bar.stop();
    if (stopping.signal.aborted) printError('It had ended before it could be cancelled:');
    print(JSON.stringify(isWhole ? result : result.data, null, 2));
    if (result.debug_info && !isWhole) printError(`debug: ${JSON.stringify(result.debug_info, null, 2)}`);
    for (const warning of result.metadata.warnings ?? []) printError(`warning: ${warning}`);
    return exitCodes.done;
  } catch (error) {
    bar.stop();
    if (error !== stop) throw error;
    printError('Cancelled.');
    return exitCodes.interrupted;
  } finally {
    bar.stop();
  }
}

function gatewayOptions(own: CallArguments['own']): NonNullable<CallOptions['options']> {
  const runAt = textOf(own['run-at']);
  const delayMs = wholeNumber('--delay-ms', textOf(own['delay-ms']), { min: 0, max: Number.MAX_SAFE_INTEGER });
  return {
    ...(runAt !== undefined && { run_at: runAt }),
    ...(delayMs !== undefined && { delay_ms: delayMs }),
    ...(own.debug && { debug: true }),
    ...(own.metacognition && { metacognition: true }),
    ...(own['no-cache'] && { enable_cache: false }),
    // A terminal has no use for the bytes of a file; its link is in the data.
    inline_files: false,
  };
}

function deprecationOf({ deprecated, replacement }: Pick<ToolDefinition, 'deprecated' | 'replacement'>): string {
  return deprecated ? `\n\nDeprecated: calls are refused${replacement ? `; use ${replacement}` : ''}.` : '';
}

/** The version decides the schema, so it is read before the other options can be. */
function versionIn(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => arg === '--version' || arg.startsWith('--version='));
  const [, attached] = /^--version=(.*)$/s.exec(args[at] ?? '') ?? [];
  return at < 0 ? undefined : (attached ?? args[at + 1]);
}

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
