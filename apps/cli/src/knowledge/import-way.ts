import type { ImportReport } from '#lib/knowledge';
import type { FoundFiles } from './find-files.js';

export interface WayOptions {
  readonly collection: string;
  readonly prune: boolean;
  readonly signal: AbortSignal;
  /** Called with the number of each file, from 1. */
  readonly onFile: (number: number) => void;
  /** What holds though the import may go on, told at its end. */
  readonly onWarning: (warning: string) => void;
  readonly onProgress: (done: { readonly documents: number; readonly sections: number; readonly skipped: number }) => void;
}

export type WayReport = Omit<ImportReport, 'vectorWarning'>;

/** How files come into a collection: by calls of a tool, or into the database. */
export type ImportWay = (found: FoundFiles, options: WayOptions) => Promise<WayReport>;
