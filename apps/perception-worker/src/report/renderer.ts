import { z } from 'zod';
import { OverLimit, Sandbox } from '#lib/sandbox';
import type { rendering } from './rendering.js';
import { TooComplex, type Report, type ReportRequest } from './report.js';

interface RenderOptions {
  readonly tenant: string;
  readonly signal: AbortSignal;
  /** @param percent 0–100 */
  readonly onProgress: (percent: number, message: string) => void;
}

const maxMs = 75_000;
const step = z.object({ percent: z.number(), message: z.string() });

/** Renders reports in sandboxed processes: the layout of a hostile document may take any time and memory. */
export class Renderer {
  readonly #sandbox: Sandbox<typeof rendering>;

  /** @param root the folder that contains `dist` and `node_modules` */
  constructor(root: string) {
    const entry = 'dist/apps/perception-worker/src/report/render-process.js';
    // A report takes a core. Its calls wait for each other rather than being refused: they have 90 s.
    this.#sandbox = new Sandbox({ root, entry, memoryMb: 640, processes: 3, perTenant: 2, maxWaiting: 16 });
  }

  /** @throws TooComplex for a document beyond the limits, TooManyWaiting, Error for a fault of ours */
  async render(request: ReportRequest, { tenant, signal, onProgress }: RenderOptions): Promise<Report> {
    const rendered = await this.#sandbox
      .run('render', request, {
        tenant,
        signal,
        timeMs: maxMs,
        onProgress: (said) => {
          const { percent, message } = step.parse(said);
          onProgress(percent, message);
        },
      })
      .catch((error: unknown) => {
        throw error instanceof OverLimit ? new TooComplex(`The report ${error.message}`) : error;
      });
    if ('tooComplex' in rendered) throw new TooComplex(rendered.tooComplex);
    return rendered;
  }

  close(): void {
    this.#sandbox.close();
  }
}
