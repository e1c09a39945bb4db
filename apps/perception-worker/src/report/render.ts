import { renderDocx } from './docx.js';
import { fontsFor, toWoff2 } from './fonts.js';
import { renderHtml } from './html.js';
import { charactersOf, readMarkdown } from './markdown.js';
import { renderPdf } from './pdf.js';
import type { ReportRequest } from './report.js';

/**
 * Renders a report. @throws TooComplex
 * @param onProgress receives percent, 0–100
 */
export async function renderReport(
  { title, content, format }: ReportRequest,
  onProgress: (percent: number, message: string) => void,
): Promise<Buffer> {
  const tree = readMarkdown(content);
  onProgress(20, 'Read the Markdown');
  const characters = title + charactersOf(tree);
  const fonts = await fontsFor(characters);
  onProgress(40, 'Cut the fonts');
  switch (format) {
    case 'pdf':
      return renderPdf({ title, tree, fonts }, (share) => onProgress(40 + share * 45, 'Writing pages'));
    case 'docx':
      return renderDocx(title, tree, fonts);
    case 'html': {
      const [regular, bold] = await Promise.all([toWoff2(fonts.regular, characters), toWoff2(fonts.bold, characters)]);
      return renderHtml(title, tree, { regular, bold });
    }
  }
}
