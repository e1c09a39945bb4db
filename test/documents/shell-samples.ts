// Runs the shell blocks of a document in order, as a reader would who copies one command after the other.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CodeBlock } from './markdown.js';

export interface CommandOutput {
  readonly command: string;
  readonly output: string;
}

const withinMs = 60_000;

/** One terminal: variables of earlier blocks stay, and `<job_id>` and `<trace_id>` are those of the latest answer that had them. */
export class ShellSamples {
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #setup: string[] = [];
  readonly #ids = new Map<string, string>();

  constructor(folder: string, env: Readonly<Record<string, string | undefined>>) {
    this.#folder = folder;
    this.#env = env;
  }

  /** @throws Error with the output, if a command fails or takes longer than a minute */
  async run(block: CodeBlock): Promise<readonly CommandOutput[]> {
    const outputs: CommandOutput[] = [];
    for (const command of commandsOf(block.text)) {
      if (isSetup(command)) this.#setup.push(command);
      else outputs.push({ command, output: await this.#output(command) });
    }
    return outputs;
  }

  async #output(command: string): Promise<string> {
    const filled = command.replace(/<(job_id|trace_id)>/g, (placeholder, name: string) => this.#ids.get(name) ?? placeholder);
    const script = ['set -eu', ...this.#setup, filled].join('\n');
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: this.#folder, env: this.#env, timeout: withinMs });
    for (const [, name = '', id = ''] of stdout.matchAll(/"(job_id|trace_id)":\s*"([^"]+)"/g)) this.#ids.set(name, id);
    return stdout;
  }
}

/** Lines that end in `\` continue. Empty lines and lines of comments are left out. */
export function commandsOf(text: string): readonly string[] {
  const lines = text.replace(/\\\n\s*/g, '').split('\n');
  return lines.filter((line) => !/^\s*(#|$)/.test(line));
}

/** Whether a command is there for those that follow: it sets variables or options, or reads a file of variables. */
function isSetup(command: string): boolean {
  return /^(\. |set |[A-Z]\w*=)/.test(command);
}
