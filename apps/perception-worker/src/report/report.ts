import type { ReportFormat } from '#lib/contracts';

/** What a report is made from; plain data, it crosses into the render process. */
export interface ReportRequest {
  readonly title: string;
  /** Markdown. */
  readonly content: string;
  readonly format: ReportFormat;
}

/** TrueType files that hold the report's characters and no others. */
export interface ReportFonts {
  readonly regular: Buffer;
  readonly bold: Buffer;
}

export const fontFamily = 'Noto Sans SC';

/** More than this nests or lists no reader's report; it would only cost time. */
export class TooComplex extends Error {
  override readonly name = 'TooComplex';
}
