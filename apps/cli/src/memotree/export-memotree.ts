import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import type { ToolResult } from '#lib/client';
import type { ProductTools } from '#lib/contracts';
import { callerFolder, CommandError, print } from '#lib/command-line';
import { defineCommand } from '../command.js';
import { connect } from '../connect.js';
import { runJob, sessionFor } from '../run-job.js';

export const exportMemotree = defineCommand({
  positionals: ['<folder>'],
  options: {
    workspace: { type: 'string', value: '<name>', help: 'a shared workspace (default: your own)' },
    node: { type: 'string', value: '<id>', help: 'only what is below this node' },
    at: { type: 'string', value: '<ref>', help: 'as of a commit, tag or branch (default: main as it stands)' },
  },
  notes: 'The folder must be empty. It is made where it is missing.',
  async run({ values: { workspace, node, at }, positionals: [name = ''] }) {
    const folder = resolve(callerFolder(), name);
    if (existsSync(folder) && readdirSync(folder).length > 0) throw new CommandError(`${folder} is not empty`);
    const invoq = connect();
    const sessionId = sessionFor('export', folder);
    const scope = { ...(workspace && { workspace }), ...(node && { nodeId: node }), ...(at && { at }) };
    let count = 0;
    for (let cursor: string | null | undefined; cursor !== null;) {
      const input = { ...scope, ...(cursor && { cursor }) };
      const { data }: ToolResult<ProductTools['export_markdown']['output']> = await runJob(
        invoq,
        { name: 'export_markdown', input },
        { sessionId },
      );
      for (const { path, text } of data.files) writeInside(folder, path, text);
      count += data.files.length;
      cursor = data.cursor;
      print(`${count} files`);
    }
    print(`Wrote ${count} files to ${folder}`);
  },
});

/** Titles of nodes decide paths, so none may lead out of the folder. Throws CommandError. */
export function writeInside(folder: string, path: string, text: string): void {
  const file = resolve(folder, path);
  if (!file.startsWith(folder + sep)) throw new CommandError(`The path ${path} leads out of ${folder}`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
