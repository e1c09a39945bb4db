import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Invoq, Progress } from '#lib/client';
import type { ProductTools } from '#lib/contracts';
import { callerFolder, CommandError, exitCodes, print, printError } from '#lib/command-line';
import { defineCommand } from '../command.js';
import { connect } from '../connect.js';
import { stoppable } from '../stoppable.js';
import { inPortions, inTreeOrder, readMarkdownFolder, type MarkdownFile, type MarkdownFolder } from './markdown-folder.js';
import { runJob, sessionFor } from '../run-job.js';

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
Without --commit the changes stay staged in a session of this folder; the same command with --commit publishes them.
Ctrl-C stops it; the same command goes on where it was stopped.`,
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
    const imported: Imported = { files: 0, created: 0, updated: 0, unchanged: 0, links: 0 };
    return stoppable({
      onStop: () => print('Stopping…'),
      async work(signal) {
        const target = { ...scope, ...(parent && { parentId: parent }), headings };
        await importPortions(invoq, portions, { sessionId, target, imported, signal });
        if (commit === undefined) {
          print('The changes are staged. Run the command again with --commit to publish them.');
          return exitCodes.done;
        }
        signal.throwIfAborted();
        const { data } = await runJob(invoq, { name: 'commit_changes', input: { ...scope, message: commit } }, { sessionId, signal });
        print(data.commitId ? `Committed as ${data.commitId}` : 'There was nothing to commit');
        return exitCodes.done;
      },
      onStopped: () =>
        print(`Interrupted. ${imported.files} of ${found.files.length} files are imported: ${summaryOf(imported)}.
They are staged, and nothing is committed. Run the same command again to continue: what is imported already stays as it is.`),
    });
  },
});

/** What has been imported so far. */
interface Imported {
  /** Each once, also where it was imported again for its links. */
  files: number;
  created: number;
  updated: number;
  unchanged: number;
  links: number;
}

function summaryOf({ created, updated, unchanged, links }: Imported): string {
  return `${created} nodes created, ${updated} updated, ${unchanged} unchanged; ${links} links`;
}

interface ImportTarget {
  readonly sessionId: string;
  readonly target: { readonly workspace?: string; readonly parentId?: string; readonly headings: boolean };
  /** Counted up. */
  readonly imported: Imported;
  readonly signal: AbortSignal;
}

/** Throws the reason of the signal when it fires before all is done. */
async function importPortions(
  invoq: Invoq<ProductTools>,
  portions: readonly (readonly MarkdownFile[])[],
  { sessionId, target, imported, signal }: ImportTarget,
): Promise<void> {
  const unresolved = new Set<string>();
  const importFiles = async (files: readonly MarkdownFile[], onProgress?: (progress: Progress) => void) => {
    signal.throwIfAborted();
    const input = { ...target, files: [...files] };
    return runJob(invoq, { name: 'import_markdown', input }, { sessionId, signal, ...(onProgress && { onProgress }) });
  };
  const report = ({ data, metadata }: Awaited<ReturnType<typeof importFiles>>): void => {
    for (const warning of metadata.warnings ?? []) printError(`warning: ${warning}`);
    for (const name of data.unresolved) unresolved.add(name);
  };
  const withOpenLinks: (readonly MarkdownFile[])[] = [];
  const seen = new Set<MarkdownFile>();
  for (const [index, files] of portions.entries()) {
    const result = await importFiles(files, ({ progress, message }) => print(`${index + 1}/${portions.length} ${progress} % ${message}`));
    for (const key of ['created', 'updated', 'unchanged', 'links'] as const) imported[key] += result.data[key];
    // A portion begins with pages of earlier ones, which say where it belongs.
    for (const file of files) seen.add(file);
    imported.files = seen.size;
    if (result.data.unresolved.length > 0 && index < portions.length - 1) withOpenLinks.push(files);
    else report(result);
  }
  // Links to files of a later portion are resolved by a second import.
  for (const files of withOpenLinks) report(await importFiles(files));
  print(summaryOf(imported));
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
