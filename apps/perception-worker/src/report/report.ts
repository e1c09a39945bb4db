import type { ReportFormat } from '#lib/contracts';

/** What a report is made of; plain data, because it is sent to the render process. */
export interface ReportRequest {
  readonly title: string;
  /** Markdown. */
  readonly content: string;
  readonly format: ReportFormat;
}

export interface Report {
  readonly bytes: Uint8Array;
  /** What of the text is not in the file as it was written. */
  readonly warnings: readonly string[];
}

/** The document is nested too deeply, has too many parts, or needs too much memory. */
export class TooComplex extends Error {
  override readonly name = 'TooComplex';
}
