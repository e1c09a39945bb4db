import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ResourceNotFoundError, ResourceTemplate, type McpServer } from '@modelcontextprotocol/server';

const mimeType = 'text/markdown';

/**
 * The pages of the documentation as resources: `docs://invoq/llms.txt` lists them, `docs://invoq/<page>.md` is one. None when the folder has none.
 * @param folder what `npm run docs` built
 */
export function docsIn(folder: string): readonly { attach(mcp: McpServer): void }[] {
  // A page that is not in this set is not read, whatever its name leads to.
  const pages = new Set(globSync('**/*.md', { cwd: folder }).map((file) => file.replaceAll('\\', '/')));
  if (pages.size === 0) return [];
  const read = async (uri: URL, file: string) => ({
    contents: [{ uri: uri.href, mimeType, text: await readFile(join(folder, file), 'utf8') }],
  });
  return [
    {
      attach: (mcp) => {
        const index = { title: 'Invoq documentation', description: 'All pages, with one line on each. Read this first.', mimeType };
        mcp.registerResource('docs', 'docs://invoq/llms.txt', index, async (uri) => read(uri, 'llms.txt'));
        const template = new ResourceTemplate('docs://invoq/{+page}', { list: undefined });
        mcp.registerResource('docs-page', template, { title: 'A page of the documentation', mimeType }, async (uri, { page }) => {
          if (typeof page !== 'string' || !pages.has(page)) throw new ResourceNotFoundError(uri.href);
          return read(uri, page);
        });
      },
    },
  ];
}
