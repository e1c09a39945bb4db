import { generateReport, type ReportFormat } from '#lib/contracts';
import { fileIdOf, fileNameOf } from '#lib/files';
import { fileBytesFact } from '#lib/handlers';
import { TooComplex } from '../report/report.js';
import { handle } from '../services.js';

const contentTypes: Readonly<Record<ReportFormat, string>> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  html: 'text/html; charset=utf-8',
};

export const handleGenerateReport = handle(generateReport, async (order, { reports, reportFiles, caller, effectKey, ...call }) => {
  const { bytes, warnings } = await reports
    .render(order, {
      tenant: caller.tenantId,
      signal: call.signal,
      onProgress: (percent, message) => call.progress(percent * 0.9, message),
    })
    .catch((error: unknown) => {
      throw error instanceof TooComplex ? call.error('REPORT_TOO_COMPLEX', error.message) : error;
    });
  for (const warning of warnings) call.warn(warning);
  call.progress(92, 'Storing the file');
  const file = await call.network(() =>
    reportFiles.keep(caller, {
      id: fileIdOf(effectKey, 'report'),
      filename: `${fileNameOf(order.title, 'report')}.${order.format}`,
      contentType: contentTypes[order.format],
      visibility: reportFiles.visibility,
      bytes,
    }),
  );
  call.recordFacts({ [fileBytesFact]: file.size_bytes });
  call.progress(100, 'Done');
  return file;
});
