import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Invoq, Progress } from '#lib/client';
import type { ProductTools } from '#lib/contracts';
import { callerFolder, CommandError, print, printError } from '#lib/command-line';
import { defineCommand } from '../command.js';
import { connect } from '../connect.js';
import { inPortions, inTreeOrder, readMarkdownFolder, type MarkdownFile, type MarkdownFolder } from './markdown-folder.js';
import { runJob, sessionFor } from './run-job.js';

/** Below what one call may carry. */
const portionLimits = { bytes: 6_000_000, files: 1_000 };
const maxListed = 20;

export const importMemotree = defineCommand({
  positionals: ['<folder>'],
  options: {
    workspace: { type: 'string', value: '<name>', help: 'a shared workspace (default: your own)' },
    parent: { type: 'string', value: '<id>', help: 'the node under which the folder hangs (default: the root)' },
    headings: { type: 'boolean', default: true, help: 'a file is one node, headings and all' },
    commit: { type: 'string', value: '<message>', help: 'commit afterwards (default: the changes stay staged)' },
  },
  notes: `Folders, files and headings become nodes, links become relations. Running it again changes only what has changed.
Without --commit the changes stay staged in a session of this folder; the same command with --commit publishes them.`,
  async run({ values: { workspace, parent, headings, commit }, positionals: [name = ''] }) {
    const folder = resolve(callerFolder(), name);
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new CommandError(`${folder} is not a folder`);
    const found = readMarkdownFolder(folder);
    printLeftOut(found);
    const portions = inPortions(inTreeOrder(found.files), portionLimits);
    if (portions.length === 0) throw new CommandError(`${folder} holds no Markdown files that can be imported`);
    const invoq = connect();
    const sessionId = sessionFor('import', folder, workspace ?? '');
    const scope = workspace ? { workspace } : {};
    await importPortions(invoq, portions, { sessionId, target: { ...scope, ...(parent && { parentId: parent }), headings } });
    if (commit === undefined) return print('The changes are staged. Run the command again with --commit to publish them.');
    const { data } = await runJob(invoq, { name: 'commit_changes', input: { ...scope, message: commit } }, { sessionId });
    return print(data.commitId ? `Committed as ${data.commitId}` : 'There was nothing to commit');
  },
});

interface ImportTarget {
  readonly sessionId: string;
  readonly target: { readonly workspace?: string; readonly parentId?: string; readonly headings: boolean };
}

async function importPortions(
  invoq: Invoq<ProductTools>,
  portions: readonly (readonly MarkdownFile[])[],
  { sessionId, target }: ImportTarget,
): Promise<void> {
  const total = { created: 0, updated: 0, unchanged: 0, links: 0 };
  const unresolved = new Set<string>();
  const importFiles = (files: readonly MarkdownFile[], onProgress?: (progress: Progress) => void) =>
    runJob(invoq, { name: 'import_markdown', input: { ...target, files: [...files] } }, { sessionId, ...(onProgress && { onProgress }) });
  const report = ({ data, metadata }: Awaited<ReturnType<typeof importFiles>>): void => {
    for (const warning of metadata.warnings ?? []) printError(`warning: ${warning}`);
    for (const name of data.unresolved) unresolved.add(name);
  };
  const withOpenLinks: (readonly MarkdownFile[])[] = [];
  for (const [index, files] of portions.entries()) {
    const result = await importFiles(files, ({ progress, message }) => print(`${index + 1}/${portions.length} ${progress} % ${message}`));
    for (const key of ['created', 'updated', 'unchanged', 'links'] as const) total[key] += result.data[key];
    if (result.data.unresolved.length > 0 && index < portions.length - 1) withOpenLinks.push(files);
    else report(result);
  }
  // Links to files of a later portion are resolved by a second import.
  for (const files of withOpenLinks) report(await importFiles(files));
  print(`${total.created} nodes created, ${total.updated} updated, ${total.unchanged} unchanged; ${total.links} links`);
  if (unresolved.size > 0) print(`Links without a target, which stay as they are: ${listed([...unresolved])}`);
}

function printLeftOut({ refused, others }: MarkdownFolder): void {
  for (const reason of refused) printError(`left out: ${reason}`);
  if (others.size === 0) return;
  const count = [...others.values()].reduce((sum, one) => sum + one, 0);
  const kinds = [...others].map(([ending, times]) => `${times} ${ending}`);
  print(`${count} files are no Markdown and stay where they are: ${listed(kinds)}`);
}

function listed(items: readonly string[]): string {
  const more = items.length - maxListed;
  return items.slice(0, maxListed).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
