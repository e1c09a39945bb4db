import { generateReport, type ReportFormat } from '#lib/contracts';
import { fileIdOf } from '#lib/files';
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
    reportFiles.files.save({
      id: fileIdOf(effectKey, 'report'),
      owner: caller,
      filename: `${fileNameOf(order.title)}.${order.format}`,
      contentType: contentTypes[order.format],
      visibility: reportFiles.visibility,
      bytes,
      expiresAt: new Date(Date.now() + reportFiles.keepMs),
    }),
  );
  call.recordFacts({ [fileBytesFact]: file.sizeBytes });
  const { url, expiresAt } = reportFiles.linkTo(file, caller);
  call.progress(100, 'Done');
  return {
    file_id: file.id,
    filename: file.filename,
    content_type: file.contentType,
    size_bytes: file.sizeBytes,
    url,
    expires_at: expiresAt.toISOString(),
  };
});

/** A file name of the title that is valid on every file system, at most 80 characters; `report` if nothing is left of it. */
function fileNameOf(title: string): string {
  const safe = title
    .replace(/[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '');
  return Array.from(safe).slice(0, 80).join('') || 'report';
}
