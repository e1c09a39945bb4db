// A program of the bench in a process of its own, spoken to over IPC: one request, one reply.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { root } from '#lib/command-line';

const reply = z.union([z.object({ value: z.unknown() }), z.object({ fault: z.string() })]);

interface Fork {
  /** A file of this folder's parent, built. */
  readonly program: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export class ForkedProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #name: string;

  private constructor(child: ChildProcess, name: string) {
    this.#child = child;
    this.#name = name;
  }

  /** Starts the program. Gives the facts that it sent when it was ready. */
  static async start<Facts>(
    { program, args = [], env = {} }: Fork,
    facts: z.ZodType<Facts>,
  ): Promise<{ process: ForkedProcess; facts: Facts }> {
    // A group of its own, so that Ctrl-C reaches the bench alone.
    const child = fork(join(root, 'dist/bench', program), [...args], {
      cwd: root,
      detached: true,
      env: { ...process.env, ...env },
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    const started = new ForkedProcess(child, [program, ...args].join(' '));
    return { process: started, facts: facts.parse(await started.#next()) };
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async request<Reply>(message: object, schema: z.ZodType<Reply>): Promise<Reply> {
    this.#child.send(message);
    return schema.parse(await this.#next());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }

  async #next(): Promise<unknown> {
    const over = new AbortController();
    try {
      const [message]: unknown[] = await Promise.race([
        once(this.#child, 'message', { signal: over.signal }),
        once(this.#child, 'exit', { signal: over.signal }).then(([code]) =>
          Promise.reject(new Error(`${this.#name} ended with ${String(code)}`)),
        ),
      ]);
      const answer = reply.parse(message);
      if ('fault' in answer) throw new Error(`${this.#name}: ${answer.fault}`);
      return answer.value;
    } finally {
      over.abort();
    }
  }
}
