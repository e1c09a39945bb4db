// `npm run memotree:export -- <folder>`: a MemoTree as Markdown files, which `memotree:import` reads back to the same.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { Gateway, sessionFor } from './memotree/gateway.js';
import { CommandError, print, runScript } from '#lib/command-line';

const help = `npm run memotree:export -- <folder> [options]

Writes the nodes of a MemoTree as Markdown files into an empty folder.

  --workspace <name>   a shared workspace (default: your own)
  --node <id>          only what is below this node
  --at <ref>           as of a commit, tag or branch (default: main as it stands)
`;

const page = z.object({ files: z.array(z.object({ path: z.string(), text: z.string() })), cursor: z.string().nullable() });

await runScript(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { workspace: { type: 'string' }, node: { type: 'string' }, at: { type: 'string' } },
  });
  const [given] = positionals;
  if (!given) {
    print(help);
    return 2;
  }
  const folder = resolve(process.env['INIT_CWD'] ?? process.cwd(), given);
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new CommandError(`${folder} is not empty`);
  const gateway = new Gateway(sessionFor('export', folder));
  const asked = {
    ...(values.workspace && { workspace: values.workspace }),
    ...(values.node && { nodeId: values.node }),
    ...(values.at && { at: values.at }),
  };
  let cursor: string | null = null;
  let count = 0;
  do {
    const { data: next }: { data: z.output<typeof page> } = await gateway.run('export_markdown', { ...asked, cursor }, { data: page });
    for (const { path, text } of next.files) write(folder, path, text);
    count += next.files.length;
    cursor = next.cursor;
    print(`${count} files`);
  } while (cursor !== null);
  print(`Wrote ${count} files to ${folder}`);
}, help);

/** Titles decide paths, so a path is looked at before it is written to. */
function write(folder: string, path: string, text: string): void {
  const file = resolve(folder, path);
  if (!file.startsWith(folder + sep)) throw new CommandError(`the path ${path} leads out of ${folder}`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(join(file), text);
}
