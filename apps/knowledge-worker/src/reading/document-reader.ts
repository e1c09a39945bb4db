import { UnreadableDocument, type ImportSource } from '#lib/knowledge';
import { OverLimit, Sandbox, timeFor } from '#lib/sandbox';
import type { GivenDocument, reading } from './reading.js';

interface ReadOptions {
  readonly tenant: string;
  readonly signal: AbortSignal;
}

/** A page of a PDF takes some 10 ms, however few bytes it has. */
const leastMs = 10_000;

/** Reads documents in processes of their own: a document can be made so that its parser takes any time and memory. */
export class DocumentReader {
  readonly #sandbox: Sandbox<typeof reading>;

  /** @param root the folder that contains `dist` and `node_modules` */
  constructor(root: string) {
    // A document may have 20 MB, and its syntax tree some ten times as much.
    this.#sandbox = new Sandbox({ root, entry: 'dist/apps/knowledge-worker/src/reading/reading-process.js', memoryMb: 512 });
  }

  /**
   * The documents, one after the other. A document that takes too long cannot be read, and neither can those for which no time is left:
   * all of a call together have as much as one of their length.
   */
  async *read(documents: readonly GivenDocument[], { tenant, signal }: ReadOptions): AsyncGenerator<ImportSource> {
    let leftMs = timeFor(
      documents.reduce((sum, { content }) => sum + content.length, 0),
      2 * leastMs,
    );
    for (const document of documents) {
      const timeMs = Math.min(leftMs, timeFor(document.content.length, leastMs));
      let spentMs = timeMs;
      yield* await this.#readEach(document, { tenant, signal, timeMs, onSpent: (ms) => void (spentMs = ms) });
      leftMs -= spentMs;
    }
  }

  async #readEach(
    document: GivenDocument,
    options: ReadOptions & { readonly timeMs: number; readonly onSpent: (ms: number) => void },
  ): Promise<readonly ImportSource[]> {
    if (options.timeMs <= 0)
      return [unreadable(document.path, 'it has no time left: the documents before it took too long; import it alone')];
    try {
      const read = await this.#sandbox.run('readEach', document, options);
      return read.map((one) => ('document' in one ? { path: one.path, read: () => one.document } : unreadable(one.path, one.reason)));
    } catch (error) {
      if (error instanceof OverLimit) return [unreadable(document.path, `it ${error.message} to read; split it, or import its text alone`)];
      throw error;
    }
  }

  close(): void {
    this.#sandbox.close();
  }
}

function unreadable(path: string, reason: string): ImportSource {
  return { path, read: () => Promise.reject(new UnreadableDocument(reason)) };
}
