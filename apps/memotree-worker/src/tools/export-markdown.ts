import { z } from 'zod';
import { exportMarkdown, rootId } from '#lib/contracts';
import { findRef } from '../history/refs.js';
import { exportPage } from '../markdown/export-files.js';
import { readOperation } from '../operation.js';
import { Rejection } from '../rejection.js';

const cursorShape = z.array(z.object({ parentId: z.string(), after: z.string().nullable() })).max(64);

export const handleExportMarkdown = readOperation(
  exportMarkdown,
  async ({ nodeId, at, cursor }, { database, scope, reader: present }, { texts, caller, signal }) => {
    const reader = at ? present.through((await findRef(database, scope.workspaceId, at)).lineage) : present;
    const topId = nodeId ?? rootId;
    if (!(await reader.liveNodes([topId])).nodes.has(topId)) throw new Rejection('NODE_NOT_FOUND', `There is no node '${topId}'`);
    const { files, frames } = await exportPage(reader, cursor ? readCursor(cursor) : [{ parentId: topId, after: null }], {
      signal,
      write: (pages) => {
        const chars = pages.reduce((sum, { body }) => sum + body.length, 0);
        return texts.run('pages', pages, {
          tenant: caller.tenantId,
          signal,
          chars,
          advice: "the front matter in the contents below 'nodeId'",
        });
      },
    });
    return {
      data: {
        files: [...files],
        nodes: files.length,
        cursor: frames.length > 0 ? Buffer.from(JSON.stringify(frames)).toString('base64url') : null,
      },
      message: frames.length > 0 ? `${files.length} files; go on with the cursor` : `${files.length} files; that is all`,
    };
  },
);

/** Decodes a cursor: base64url of the JSON of the unfinished folders. */
function readCursor(text: string): z.output<typeof cursorShape> {
  try {
    return cursorShape.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    throw new Rejection('INVALID_PARAMS', 'The cursor is not one that export_markdown gave');
  }
}
