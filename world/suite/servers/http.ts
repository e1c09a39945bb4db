import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually } from '#lib/testing';

export interface HttpProgram {
  /** An absolute file. */
  readonly program: string;
  readonly port: number;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where it may write. */
  readonly folder: string;
}

const readyWithinMs = 40_000;

/** A server of others that listens on a port of the loopback. */
export class HttpServerProcess implements AsyncDisposable {
  readonly #program: HttpProgram;
  #stop: () => Promise<void> = async () => undefined;

  private constructor(program: HttpProgram) {
    this.#program = program;
  }

  static async start(program: HttpProgram): Promise<HttpServerProcess> {
    const server = new HttpServerProcess(program);
    await server.#start();
    return server;
  }

  /** Kills it and starts it again: it has forgotten every session. */
  async restart(): Promise<void> {
    await this.#stop();
    await this.#start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }

  async #start(): Promise<void> {
    const { program, args, env, folder, port } = this.#program;
    const child = spawn(process.execPath, [program, ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-1_000)));
    const ended = once(child, 'exit');
    this.#stop = async () => {
      child.kill('SIGKILL');
      await ended;
    };
    const isReady = async (): Promise<boolean> => {
      if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${said}`);
      return listens(port);
    };
    await eventually(isReady, { withinMs: readyWithinMs, what: `${program} to listen` });
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
