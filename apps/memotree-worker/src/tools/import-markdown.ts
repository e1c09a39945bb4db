import { importMarkdown, rootId } from '#lib/contracts';
import { importFiles } from '../markdown/import-files.js';
import { walkOutline, outlineOf } from '../markdown/outline.js';
import { stagingOperation } from '../operation.js';

export const handleImportMarkdown = stagingOperation(
  importMarkdown,
  async ({ parentId, files, headings, commitMessage }, draft, { progress, signal }) => {
    const outline = outlineOf(files, headings);
    const all = [...walkOutline(outline)].length;
    progress(5, `${files.length} files make ${all} nodes`);
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
