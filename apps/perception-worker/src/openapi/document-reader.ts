import { z } from 'zod';
import { openApiSource, outsideTool } from '#lib/contracts';
import { OverLimit, Sandbox } from '#lib/sandbox';
import { UnusableDocument } from './document.js';
import type { DocumentRequest, DocumentTools, readDocument } from './read-document.js';

/**
 * Time of a processor. The document of GitHub, with 1,000 operations in 13 MB, takes 4 s.
 * @limit outside servers: processor time to read an OpenAPI document; INVALID_PARAMS
 */
const maxMs = 30_000;
const memoryMb = 1_024;
const read = z.object({
  tools: z.array(outsideTool),
  malformed: z.array(z.object({ tool: z.string(), reason: z.string() })),
  source: openApiSource,
});

interface ReadOptions {
  readonly tenant: string;
  readonly signal: AbortSignal;
}

/** Makes tools of OpenAPI documents, in processes of their own: one that is written for it takes any time and memory. */
export class DocumentReader {
  readonly #sandbox: Sandbox<{ readDocument: typeof readDocument }>;

  /** @param root the folder that contains `dist` and `node_modules` */
  constructor(root: string) {
    const entry = 'dist/apps/perception-worker/src/openapi/reading-process.js';
    this.#sandbox = new Sandbox({ root, entry, memoryMb, processes: 2, perTenant: 1 });
  }

  /** @throws UnusableDocument that says what is wrong with it, TooManyWaiting */
  async toolsOf(request: DocumentRequest, { tenant, signal }: ReadOptions): Promise<DocumentTools> {
    const found = await this.#sandbox.run('readDocument', request, { tenant, signal, timeMs: maxMs }).catch((error: unknown) => {
      throw error instanceof OverLimit ? new UnusableDocument(`To read the document ${error.message}: give a smaller one`) : error;
    });
    if ('unusable' in found) throw new UnusableDocument(found.unusable);
    return read.parse(found);
  }

  close(): void {
    this.#sandbox.close();
  }
}
