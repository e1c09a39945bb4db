import { parseArgs } from 'node:util';
import { CommandError } from '#lib/command-line';

export type Fsync = 'everysec' | 'always';

export interface BenchOptions {
  readonly concurrencies: readonly number[];
  readonly rounds: number;
  readonly measureMs: number;
  readonly warmUpMs: number;
  /**
   * Before the first round, for each subject: so many calls, or so long. Until V8 has compiled all of it, a call of ours costs up to twice of what it costs
   * afterwards. The guard compares with figures after fewer calls.
   */
  readonly firstWarmUp: { readonly calls: number; readonly ms: number };
  /** Where the figures go besides the terminal. */
  readonly jsonFile: string | null;
  readonly profile: boolean;
  /** When Redis writes what it was given to the disk: once a second, or before each reply. */
  readonly fsync: Fsync;
  /** Measures everything that `npm start` runs. */
  readonly whole: boolean;
  /** Compares what a call costs with the committed figures. */
  readonly guard: boolean;
  /** Compares what a start, the product at rest and commands take with the committed figures. */
  readonly weight: boolean;
}

export const help = `npm run bench [-- options]

Measures a call through everything (gateway, queue, worker, Redis) beside what it is made of, on private stores and the real
processes of the last build. Takes about five minutes.

  --quick               one short round: a look, not a measurement (about half a minute)
  --concurrency 1,64    callers at the same time; default 1,16,64,256
  --rounds 3            rounds; each measures every cell once, and the figures are medians over the rounds
  --json <file>         writes all figures of all rounds too
  --whole               everything that npm start runs, instead of one gateway and one worker as in production
  --fsync always        Redis writes to the disk before each reply, in place of once a second
  --profile             instead of the tables: where gateway and worker spend their time, and what Redis does a call
  --guard               instead of the tables: fails when a call costs more than bench/guard/call-costs.json allows (about a minute)
  --weight              instead of the tables: fails when a start, the product at rest or a command takes more than
                        bench/guard/weight.json allows (about a minute)
  --help                this

Fails when a call fails, when a figure means nothing, or when an answer was not what was asked for. A missed aim is no failure.
`;

export function readOptions(args: readonly string[]): BenchOptions | 'help' {
  const { values } = parse(args);
  if (values.help) return 'help';
  const quick = values.quick;
  return {
    concurrencies: (values.concurrency ?? (values.profile ? '64' : '1,16,64,256')).split(',').map((text) => whole('--concurrency', text)),
    rounds: whole('--rounds', values.rounds ?? (quick ? '1' : '3')),
    measureMs: quick ? 1_000 : 2_500,
    warmUpMs: quick ? 300 : 700,
    firstWarmUp: quick ? { calls: 2_000, ms: 3_000 } : { calls: values.guard ? 12_000 : 30_000, ms: 30_000 },
    jsonFile: values.json ?? null,
    profile: values.profile,
    fsync: fsyncOf(values.fsync),
    whole: values.whole,
    guard: values.guard,
    weight: values.weight,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        concurrency: { type: 'string' },
        rounds: { type: 'string' },
        json: { type: 'string' },
        fsync: { type: 'string', default: 'everysec' },
        whole: { type: 'boolean', default: false },
        profile: { type: 'boolean', default: false },
        guard: { type: 'boolean', default: false },
        weight: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : String(error)}\n\n${help}`);
  }
}

function fsyncOf(text: string): Fsync {
  if (text === 'everysec' || text === 'always') return text;
  throw new CommandError(`--fsync must be everysec or always, not ${text}`);
}

function whole(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 2_000)
    throw new CommandError(`${option} takes whole numbers from 1 to 2000, not "${text}"`);
  return number;
}
