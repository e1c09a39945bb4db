import { Inject, Injectable } from '@nestjs/common';
import { filesIn, inlineFileBytes, mapFiles, type LinkedFile } from '#lib/contracts';
import { FileLinks, Files } from '#lib/files';
import type { Logger } from '#lib/platform';
import type { Answer } from './answer.js';
import { Stores } from '../stores.js';

/** Puts the bytes of small files beside their links, for readers over HTTP (TU-53, C-27). */
@Injectable()
export class FileInliner {
  constructor(
    @Inject(Stores) private readonly stores: { readonly log: Pick<Logger, 'warn'> },
    @Inject(Files) private readonly files: Pick<Files, 'find' | 'bytes'>,
    @Inject(FileLinks) private readonly links: Pick<FileLinks, 'fileOf'>,
  ) {}

  /** Adds `content_base64` to the files of an answer while they are together smaller than 1 MiB. A file that cannot be read keeps its link. */
  async inlined(answer: Answer): Promise<Answer> {
    const { outcome, facts } = answer;
    if (!outcome.ok || !answer.hasFiles) return answer;
    try {
      const read = await this.#read(filesIn(outcome.data));
      if (read.size === 0) return answer;
      const data = mapFiles(outcome.data, (file) => {
        const content_base64 = read.get(file.file_id);
        return content_base64 === undefined ? file : { ...file, content_base64 };
      });
      return { ...answer, outcome: { ...outcome, data } };
    } catch (error) {
      this.stores.log.warn({ event: 'file-unread', trace_id: facts.traceId, err: error }, 'the answer has the link without the bytes');
      return answer;
    }
  }

  /** In base64, by id. */
  async #read(files: readonly LinkedFile[]): Promise<ReadonlyMap<string, string>> {
    const read = new Map<string, string>();
    let room = inlineFileBytes;
    for (const { file_id: id, url, size_bytes: said } of files) {
      if (read.has(id) || Number(said) >= room) continue;
      const file = await this.files.find(id, new Date());
      // Whoever made the answer may have named any file; who has a link to it can read it anyway.
      if (!file || file.sizeBytes >= room || (file.visibility !== 'public' && this.links.fileOf(url) !== id)) continue;
      read.set(id, Buffer.from(await this.files.bytes(file)).toString('base64'));
      room -= file.sizeBytes;
    }
    return read;
  }
}
