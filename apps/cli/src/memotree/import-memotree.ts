// `npm run memotree:import -- <folder>`: a folder of Markdown, or an Obsidian vault, into a MemoTree. Running it again changes only what
// has changed.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { Gateway, sessionFor } from './memotree/gateway.js';
import { inPortions, readMarkdownFolder, type MarkdownFolder } from './memotree/markdown-folder.js';
import { CommandError, print, printError, runScript } from '#lib/command-line';

const help = `npm run memotree:import -- <folder> [options]

Makes nodes of the Markdown files of a folder: folders, files and headings become nodes, links become relations.

  --workspace <name>   a shared workspace (default: your own)
  --parent <id>        where the folder hangs (default: the root)
  --no-headings        a file is one node, headings and all
  --commit <message>   commit afterwards (default: stays staged in a session of this folder's own)
`;

/** Below what one call may carry. */
const portion = { bytes: 6_000_000, files: 1_000 };
const mostTold = 20;

const outcome = z.object({
  created: z.number(),
  updated: z.number(),
  unchanged: z.number(),
  links: z.number(),
  unresolved: z.array(z.string()),
});

await runScript(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    allowNegative: true,
    options: {
      workspace: { type: 'string' },
      parent: { type: 'string' },
      headings: { type: 'boolean', default: true },
      commit: { type: 'string' },
    },
  });
  const [given] = positionals;
  if (!given) {
    print(help);
    return 2;
  }
  const folder = resolve(process.env['INIT_CWD'] ?? process.cwd(), given);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new CommandError(`${folder} is not a folder`);
  const found = readMarkdownFolder(folder);
  tellLeftOut(found);
  const portions = inPortions(found.files, portion);
  if (portions.length === 0) throw new CommandError(`${folder} holds no Markdown files that can come in`);
  const gateway = new Gateway(sessionFor('import', folder, values.workspace ?? ''));
  const place = { ...(values.workspace && { workspace: values.workspace }) };
  const target = { ...place, ...(values.parent && { parentId: values.parent }), headings: values.headings };
  const total = { created: 0, updated: 0, unchanged: 0, links: 0 };
  const unresolved = new Set<string>();
  const open: (typeof portions)[number][] = [];
  for (const [index, files] of portions.entries()) {
    const onProgress = (text: string): void => print(`${index + 1}/${portions.length} ${text}`);
    const { data, warnings } = await gateway.run('import_markdown', { ...target, files }, { data: outcome, onProgress });
    for (const warning of warnings) printError(`warning: ${warning}`);
    if (data.unresolved.length > 0 && index < portions.length - 1) open.push(files);
    else for (const name of data.unresolved) unresolved.add(name);
    for (const key of ['created', 'updated', 'unchanged', 'links'] as const) total[key] += data[key];
  }
  // Links to files of a later portion find them now.
  for (const files of open) {
    const { data } = await gateway.run('import_markdown', { ...target, files }, { data: outcome });
    for (const name of data.unresolved) unresolved.add(name);
  }
  print(`${total.created} nodes created, ${total.updated} updated, ${total.unchanged} unchanged; ${total.links} links`);
  if (unresolved.size > 0) print(`Links without a target, which stay as they are: ${told([...unresolved])}`);
  if (values.commit === undefined) return print('The changes are staged; run again with --commit to publish them.');
  const { commitId } = (
    await gateway.run('commit_changes', { ...place, message: values.commit }, { data: z.object({ commitId: z.string().nullable() }) })
  ).data;
  return print(commitId ? `Committed as ${commitId}` : 'There was nothing to commit');
}, help);

function tellLeftOut({ refused, others }: MarkdownFolder): void {
  for (const reason of refused) printError(`left out: ${reason}`);
  if (others.size === 0) return;
  const count = [...others.values()].reduce((sum, one) => sum + one, 0);
  const kinds = [...others].map(([ending, times]) => `${times} ${ending}`);
  print(`${count} files are no Markdown and stay where they are: ${told(kinds)}`);
}

function told(items: readonly string[]): string {
  const more = items.length - mostTold;
  return items.slice(0, mostTold).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
