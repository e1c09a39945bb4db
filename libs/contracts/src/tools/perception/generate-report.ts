import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { keptFile } from '../../file-output.js';
import { sensitive } from '../../marks.js';
import { reportFormats } from './report-format.js';

/** generate_report 1.2.0 of the perception node (TU-103). */
export const generateReport = defineTool({
  name: 'generate_report',
  version: '1.2.0',
  changelog: { '1.2.0': 'The perception node’s contract.' },
  title: 'Report',
  description:
    'Make a report from Markdown as a PDF, DOCX or HTML file and return a download link. Tables, lists, code and Chinese text are kept; images, scripts and other embedded content are not loaded, their addresses are shown.',
  zh: {
    title: '报告',
    description:
      '把 Markdown 制成 PDF、DOCX 或 HTML 报告，并返回下载链接。保留表格、列表、代码和中文；不加载图片、脚本等嵌入内容，而是显示其地址。',
  },
  domain: 'perception',
  effect: 'write',
  input: z.strictObject({
    title: sensitive(z.string().min(1).max(200)).describe('Title of the report, 1–200 characters.'),
    content: sensitive(z.string().min(1).max(200_000)).describe('Content of the report in Markdown (GFM), 1–200,000 characters.'),
    format: z.enum(reportFormats).default('pdf').describe('Format of the file: pdf, docx or html.'),
  }),
  output: keptFile,
  errors: { REPORT_TOO_COMPLEX: 'INVALID_PARAMS' },
  ownCodes: false,
  // Only storing the file is retried. Rendering is deterministic, so it would fail again.
  retry: { network: { times: 3, baseMs: 500 } },
  timeoutMs: 90_000,
  streaming: true,
  maxInputBytes: 1_048_576,
  estimatedTokens: { input: 500, output: { min: 50, max: 100, typical: 50 } },
  examples: [
    {
      input: { title: 'Weekly report', content: '# Sales\n\n| City | Orders |\n| --- | --- |\n| 北京 | 120 |\n' },
      output: {
        file_id: 'file_2Q8mTnXo1cVb5RkJ0wHs9LpE',
        filename: 'Weekly report.pdf',
        content_type: 'application/pdf',
        size_bytes: 18_432,
        url: 'https://tools.example.com/files/file_2Q8mTnXo1cVb5RkJ0wHs9LpE?expires=1764000000&signature=mP3',
        expires_at: '2025-11-24T16:00:00.000Z',
      },
    },
  ],
});
