import { z } from 'zod';
import { inlineFileBytes, type Catalog } from '#lib/contracts';
import type { Files } from '#lib/files';
import type { Logger } from '#lib/platform';
import type { Answer } from './answer.js';

const fileData = z.looseObject({ file_id: z.string(), size_bytes: z.number() });

interface FileInlinerParts {
  readonly catalog: Catalog;
  readonly files: Pick<Files, 'find' | 'bytes'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Puts the bytes of small files beside their links, for readers over HTTP (TU-53, C-27). */
export class FileInliner {
  readonly #parts: FileInlinerParts;

  constructor(parts: FileInlinerParts) {
    this.#parts = parts;
  }

  /** Adds `content_base64` when the answer's file is smaller than 1 MiB. An answer whose file cannot be read keeps its link. */
  async inlined(answer: Answer): Promise<Answer> {
    const { outcome, facts } = answer;
    if (!outcome.ok || !this.#parts.catalog.find(facts.toolName)?.returnsFile) return answer;
    const data = fileData.safeParse(outcome.data);
    if (!data.success || data.data.size_bytes >= inlineFileBytes) return answer;
    try {
      const file = await this.#parts.files.find(data.data.file_id, new Date());
      if (!file) return answer;
      const bytes = await this.#parts.files.bytes(file);
      return { ...answer, outcome: { ...outcome, data: { ...data.data, content_base64: Buffer.from(bytes).toString('base64') } } };
    } catch (error) {
      this.#parts.log.warn({ event: 'file-unread', trace_id: facts.traceId, err: error }, 'the answer has the link without the bytes');
      return answer;
    }
  }
}
