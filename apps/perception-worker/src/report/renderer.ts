import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { TooComplex, type ReportRequest } from './report.js';
import { renderMessage } from './render-message.js';

interface RendererOptions {
  /** The folder that contains `dist` and `node_modules`. */
  readonly root: string;
  /** Reports that are rendered at the same time, default 2; each takes a core. */
  readonly concurrency?: number;
}

interface RenderOptions {
  readonly signal: AbortSignal;
  /** @param percent 0–100 */
  readonly onProgress: (percent: number, message: string) => void;
}

const maxMemoryMb = 512;

/**
 * Renders reports in separate processes. A hostile or endless document occupies only its own process, which holds no secrets, cannot
 * write files, start programs or use the network, and is killed when its call ends.
 */
export class Renderer {
  readonly #root: string;
  readonly #waiting: (() => void)[] = [];
  #freeSlots: number;

  constructor({ root, concurrency = 2 }: RendererOptions) {
    this.#root = root;
    this.#freeSlots = concurrency;
  }

  /** Waits for a free slot and renders. @throws TooComplex for a document beyond the limits, Error for a fault of ours */
  async render(request: ReportRequest, watch: RenderOptions): Promise<Uint8Array> {
    await this.#acquireSlot(watch.signal);
    try {
      return await this.#render(request, watch);
    } finally {
      this.#freeSlots += 1;
      this.#waiting.shift()?.();
    }
  }

  /** Waits for a free slot. Ends with the signal of the call, so that a cancelled call leaves the queue. */
  async #acquireSlot(signal: AbortSignal): Promise<void> {
    while (this.#freeSlots === 0) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    signal.throwIfAborted();
    this.#freeSlots -= 1;
  }

  async #render(order: ReportRequest, { signal, onProgress }: RenderOptions): Promise<Uint8Array> {
    const child = this.#start();
    const kill = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', kill, { once: true });
    let stderrTail = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => void (stderrTail = (stderrTail + text).slice(-2_000)));
    try {
      return await new Promise<Uint8Array>((resolve, reject) => {
        child.on('message', (said) => {
          const message = renderMessage.parse(said);
          if (message.kind === 'progress') onProgress(message.percent, message.message);
          else if (message.kind === 'done') resolve(message.bytes);
          else reject(message.kind === 'too-complex' ? new TooComplex(message.message) : new Error(`Rendering failed: ${message.message}`));
        });
        child.once('error', reject);
        child.once('close', (code, by) => {
          const outOfMemory = code === 134 || by === 'SIGABRT';
          reject(
            outOfMemory
              ? new TooComplex(`The report needs more than ${maxMemoryMb} MB to be made`)
              : new Error(`The render process ended (${by ?? code}): ${stderrTail}`),
          );
        });
        child.send(order);
      });
    } finally {
      signal.removeEventListener('abort', kill);
      kill();
    }
  }

  /** Starts the render process with Node's permission model: it may read our code and the fonts only. */
  #start(): ChildProcess {
    const readable = ['dist', 'node_modules', 'package.json'].map((name) => `--allow-fs-read=${join(this.#root, name)}`);
    return fork(join(this.#root, 'dist/apps/perception-worker/src/report/render-process.js'), [], {
      env: {},
      cwd: this.#root,
      execArgv: ['--permission', ...readable, `--max-old-space-size=${maxMemoryMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
  }
}
