import { type FileHandle, open, rm } from 'node:fs/promises';

import type { SourceRow } from './source-row.js';

const flushedCharacters = 262_144;

/**
 * Keeps every bad row in `<file>.rejected.ndjson`, one `{"line", "reasons", "text"}` a line. The file is readable by its
 * owner alone, since rows are health data, and exists only if this run rejected something.
 */
export class RejectedRows {
  readonly path: string;
  count = 0;
  private pending = '';
  private handle: FileHandle | undefined;

  private constructor(path: string) {
    this.path = path;
  }

  /** Removes the file of an earlier run, which could be taken for the report of this one. */
  static async beside(file: string): Promise<RejectedRows> {
    const rejected = new RejectedRows(`${file}.rejected.ndjson`);
    await rm(rejected.path, { force: true });
    return rejected;
  }

  async add(row: SourceRow, reasons: readonly string[]): Promise<void> {
    this.count += 1;
    this.pending += `${JSON.stringify({ line: row.line, reasons, text: row.text() })}\n`;
    if (this.pending.length >= flushedCharacters) await this.flush();
  }

  async close(): Promise<void> {
    if (this.pending) await this.flush();
    await this.handle?.close();
    this.handle = undefined;
  }

  private async flush(): Promise<void> {
    this.handle ??= await open(this.path, 'w', 0o600);
    await this.handle.writeFile(this.pending);
    this.pending = '';
  }
}
