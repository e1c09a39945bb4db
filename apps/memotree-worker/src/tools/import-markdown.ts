import { importMarkdown, rootId } from '#lib/contracts';
import { importFiles } from '../markdown/import-files.js';
import { everyNode, outlineOf } from '../markdown/outline.js';
import { stages } from '../operation.js';

export const handleImportMarkdown = stages(
  importMarkdown,
  async ({ parentId, files, headings, commitMessage }, draft, { progress, signal }) => {
    const outline = outlineOf(files, headings);
    const all = [...everyNode(outline)].length;
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
