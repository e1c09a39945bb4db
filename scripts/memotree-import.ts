// `npm run memotree:import -- <folder>`: a folder of Markdown, or an Obsidian vault, into a MemoTree. Running it again changes only what
// has changed.
import { globSync, readFileSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { Gateway, sessionFor } from './memotree/gateway.js';
import { Failure, runScript, say } from './say.js';

const help = `npm run memotree:import -- <folder> [options]

Makes nodes of the Markdown files of a folder: folders, files and headings become nodes, links become relations.

  --workspace <name>   a shared workspace (default: your own)
  --parent <id>        where the folder hangs (default: the root)
  --no-headings        a file is one node, headings and all
  --commit <message>   commit afterwards (default: stays staged in a session of this folder's own)
`;

/** Below what one call may carry. */
const callBytes = 4_000_000;
const callFiles = 500;

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
      help: { type: 'boolean' },
    },
  });
  const [given] = positionals;
  if (values.help || !given) return say(help);
  const folder = resolve(process.env['INIT_CWD'] ?? process.cwd(), given);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new Failure(`${folder} is not a folder`);
  const calls = inCalls(readFolder(folder));
  if (calls.length === 0) throw new Failure(`${folder} holds no Markdown files`);
  const gateway = new Gateway(sessionFor('import', folder, values.workspace ?? ''));
  const place = { ...(values.workspace && { workspace: values.workspace }) };
  const target = { ...place, ...(values.parent && { parentId: values.parent }), headings: values.headings };
  const total = { created: 0, updated: 0, unchanged: 0, links: 0, unresolved: 0 };
  const open: (typeof calls)[number][] = [];
  for (const [index, files] of calls.entries()) {
    const onProgress = (text: string): void => say(`${index + 1}/${calls.length} ${text}`);
    const told = await gateway.run('import_markdown', { ...target, files }, { data: outcome, onProgress });
    if (told.unresolved.length > 0 && index < calls.length - 1) open.push(files);
    else total.unresolved += told.unresolved.length;
    for (const key of ['created', 'updated', 'unchanged', 'links'] as const) total[key] += told[key];
  }
  // Links to files of a later call find them now.
  for (const files of open)
    total.unresolved += (await gateway.run('import_markdown', { ...target, files }, { data: outcome })).unresolved.length;
  say(
    `${total.created} nodes created, ${total.updated} updated, ${total.unchanged} unchanged; ${total.links} links, ${total.unresolved} without a target`,
  );
  if (values.commit === undefined) return say('The changes are staged; run again with --commit to publish them.');
  const { commitId } = await gateway.run(
    'commit_changes',
    { ...place, message: values.commit },
    { data: z.object({ commitId: z.string().nullable() }) },
  );
  return say(commitId ? `Committed as ${commitId}` : 'There was nothing to commit');
});

interface File {
  readonly path: string;
  readonly text: string;
}

function readFolder(folder: string): readonly File[] {
  return globSync('**/*.md', { cwd: folder, exclude: (name) => name.startsWith('.') || name === 'node_modules' })
    .toSorted()
    .map((path) => ({ path: path.split(sep).join('/'), text: readFileSync(join(folder, path), 'utf8') }));
}

function inCalls(files: readonly File[]): readonly (readonly File[])[] {
  const calls: File[][] = [];
  let bytes = 0;
  for (const file of files) {
    const size = Buffer.byteLength(file.text) + file.path.length;
    const last = calls.at(-1);
    if (!last || bytes + size > callBytes || last.length >= callFiles) {
      calls.push([file]);
      bytes = size;
    } else {
      last.push(file);
      bytes += size;
    }
  }
  return calls;
}
