// Runs the shell blocks of a document in order, as a reader would who copies one command after the other.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { eventually } from '#lib/testing';
import type { CodeBlock } from './markdown.js';

export interface CommandOutput {
  readonly command: string;
  readonly output: string;
}

const timeout = 60_000;

/** One terminal: variables of earlier blocks stay, and `<job_id>` and `<trace_id>` are those of the latest answer that had them. */
export class ShellSamples {
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #patienceMs: number;
  readonly #setup: string[] = [];
  readonly #ids = new Map<string, string>();

  /** @param patienceMs how long a command may fail until it works */
  constructor(folder: string, env: Readonly<Record<string, string | undefined>>, patienceMs = 5_000) {
    this.#folder = folder;
    this.#env = env;
    this.#patienceMs = patienceMs;
  }

  /**
   * @param isRight a command whose output is wrong, or that fails, is tried again for a while: some answers, such as traces, are there a
   *   moment later
   * @throws Error with the output, if a command still fails, still prints something wrong, or takes longer than a minute
   */
  async run(block: CodeBlock, isRight: (output: string) => boolean = () => true): Promise<readonly CommandOutput[]> {
    const outputs: CommandOutput[] = [];
    for (const command of commandsOf(block.text)) {
      if (isSetup(command)) this.#setup.push(command);
      else outputs.push({ command, output: await this.#output(command, isRight) });
    }
    return outputs;
  }

  async #output(command: string, isRight: (output: string) => boolean): Promise<string> {
    const filled = command.replace(/<(job_id|trace_id)>/g, (placeholder, name: string) => this.#ids.get(name) ?? placeholder);
    const script = ['set -eu', ...this.#setup, filled].join('\n');
    let problem = '';
    const output = await eventually(
      async () => {
        try {
          const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: this.#folder, env: this.#env, timeout });
          problem = `wrong output: ${stdout}`;
          return isRight(stdout) ? stdout : null;
        } catch (error) {
          problem = String(error);
          return null;
        }
      },
      { withinMs: this.#patienceMs },
    ).catch(() => {
      throw new Error(`${filled}\n${problem}`);
    });
    for (const [, name = '', id = ''] of output.matchAll(/"(job_id|trace_id)":\s*"([^"]+)"/g)) this.#ids.set(name, id);
    return output;
  }
}

/** A line each, or more where they end in `\` or within quotes. Empty lines and lines of comments are left out. */
export function commandsOf(text: string): readonly string[] {
  const commands: string[] = [];
  let open = '';
  for (const line of text.replaceAll(/\\\n\s*/g, '').split('\n')) {
    if (open === '' && /^\s*(#|$)/.test(line)) continue;
    open += open === '' ? line : `\n${line}`;
    if (isWithinQuotes(open)) continue;
    commands.push(open);
    open = '';
  }
  return open === '' ? commands : [...commands, open];
}

/** At the end of the text. A comment ends a command. */
function isWithinQuotes(text: string): boolean {
  let quote = '';
  let before = ' ';
  for (const character of text) {
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '#' && /\s/.test(before)) return false;
    before = character;
  }
  return quote !== '';
}

/** Whether a command is there for those that follow: it sets or exports variables or options, or reads a file of variables. */
function isSetup(command: string): boolean {
  return /^(\. |set |export |[A-Z]\w*=)/.test(command);
}
