import { renderDocx } from './docx.js';
import { typeset } from './fonts/typeset.js';
import { renderHtml } from './html.js';
import { Losses } from './losses.js';
import { readMarkdown, withoutControls } from './markdown.js';
import { renderPdf } from './pdf/pdf.js';
import type { Report, ReportRequest } from './report.js';
import { reportText } from './report-text.js';

const renderers = { pdf: renderPdf, docx: renderDocx, html: renderHtml } as const;

/**
 * Renders a report. @throws TooComplex
 * @param onProgress receives percent, 0–100
 */
export async function renderReport(
  { title: asked, content, format }: ReportRequest,
  onProgress: (percent: number, message: string) => void,
): Promise<Report> {
  const losses = new Losses();
  const title = withoutControls(asked, losses);
  const tree = readMarkdown(content, losses);
  onProgress(20, 'Read the Markdown');
  const set = await typeset(reportText(title, tree));
  losses.addCharacters('character', set.missing);
  onProgress(40, 'Cut the fonts');
  const bytes = await renderers[format](title, tree, set);
  onProgress(90, 'Wrote the pages');
  return { bytes, warnings: losses.warnings };
}
