import type { ReportFormat } from '#lib/contracts';

/** What a report is made of; plain data, because it is sent to the render process. */
export interface ReportRequest {
  readonly title: string;
  /** Markdown. */
  readonly content: string;
  readonly format: ReportFormat;
}

/** TrueType fonts that contain the characters of one report only. */
export interface ReportFonts {
  readonly regular: Buffer;
  readonly bold: Buffer;
}

export const fontFamily = 'Noto Sans SC';

/** The document is nested too deeply, has too many parts, or needs too much memory. */
export class TooComplex extends Error {
  override readonly name = 'TooComplex';
}
