import { importMarkdown, rootId } from '#lib/contracts';
import { importFiles } from '../markdown/import-files.js';
import { walkOutline } from '../markdown/outline.js';
import { preparedOperation } from '../operation.js';
import { Rejection } from '../rejection.js';

export const handleImportMarkdown = preparedOperation(
  importMarkdown,
  async ({ parentId, files, headings, commitMessage }, { texts, caller, signal, progress }) => {
    const chars = files.reduce((sum, { text }) => sum + text.length, 0);
    const call = { tenant: caller.tenantId, signal, chars, advice: "'files': import fewer at once, or nest less" };
    const outline = await texts.run('outline', { files, headings }, call);
    if ('refused' in outline) throw new Rejection('INVALID_PARAMS', outline.refused);
    const all = [...walkOutline(outline.value)].length;
    progress(5, `${files.length} files make ${all} nodes`);
    return { parentId, outline: outline.value, commitMessage };
  },
  async ({ parentId, outline, commitMessage }, draft, { progress, signal }) => {
    const { cut, ...data } = await importFiles(draft, {
      parentId: parentId ?? rootId,
      outline,
      message: commitMessage,
      signal,
      onProgress: (done, of) => progress(5 + (70 * done) / of, `${done} of ${of} nodes`),
    });
    progress(80, 'Indexing');
    const { created, updated, unchanged, unresolved } = data;
    return {
      data,
      message: `${created} nodes created, ${updated} updated, ${unchanged} unchanged; commit_changes publishes them`,
      warnings: [...(unresolved.length > 0 ? [`${unresolved.length} link targets were not found`] : []), ...cut.slice(0, 50)],
    };
  },
);
