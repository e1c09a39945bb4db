// Writes a subtree as Markdown files, a page of them at a time. Each node is a file with front matter; its children are in a folder of
// the same name.
import { truncate } from '#lib/retrieval';
import type { NodeVersion } from '../store/node-state.js';
import type { Reader } from '../store/reader.js';
import type { PageParts } from './front-matter.js';

export interface ExportedFile {
  readonly path: string;
  readonly text: string;
}

interface FileParts extends PageParts {
  readonly path: string;
}

interface ExportOptions {
  readonly signal: AbortSignal;
  /** Makes the texts of pages, in their order. */
  readonly write: (pages: readonly PageParts[]) => Promise<readonly string[]>;
}

/** A folder that is not finished: its children after `after` are still to be written. A cursor is the stack of such folders. */
export interface Frame {
  readonly parentId: string;
  readonly after: string | null;
}

/** Files of one page; `frames` is empty after the last one. */
export interface ExportPage {
  readonly files: readonly ExportedFile[];
  readonly frames: readonly Frame[];
}

const maxPageChars = 1_000_000;
const maxPageFiles = 500;
const maxChildren = 1_000;
/** Longest file name, in characters. With 20 levels the path must fit into what an import takes, and each name into 255 bytes. */
const maxNameChars = 45;
const idChars = 12;

/** Writes the next page of files, depth first, until a page is full. The remaining folders are the frames of the next page. */
export async function exportPage(reader: Reader, start: readonly Frame[], { signal, write }: ExportOptions): Promise<ExportPage> {
  const frames = [...start];
  const files: FileParts[] = [];
  const finished = async (left: readonly Frame[]): Promise<ExportPage> => {
    const texts = await write(files);
    return { files: files.map(({ path }, index) => ({ path, text: texts[index] ?? '' })), frames: left };
  };
  const folders = new Map<string, Folder>();
  let chars = 0;
  for (let frame = frames.pop(); frame; frame = frames.pop()) {
    signal.throwIfAborted();
    const folder = await folderOf(reader, frame.parentId, folders);
    const at = frame.after === null ? 0 : folder.children.findIndex(({ nodeId }) => nodeId === frame.after) + 1;
    // Stop after the first child that has children itself: its folder is written before its siblings.
    const rest = folder.children.slice(at);
    const parent = rest.findIndex(({ nodeId }) => (folder.counts.get(nodeId) ?? 0) > 0);
    const batch = rest.slice(0, Math.min(parent < 0 ? rest.length : parent + 1, maxPageFiles));
    const last = batch.at(-1);
    if (!last) continue;
    const way = await folderPath(reader, [...frames.map(({ parentId }) => parentId), frame.parentId], folders);
    for (const file of await filesOf(reader, batch, { way, folder })) {
      files.push(file);
      chars += file.body.length;
    }
    frames.push({ parentId: frame.parentId, after: last.nodeId });
    if ((folder.counts.get(last.nodeId) ?? 0) > 0) frames.push({ parentId: last.nodeId, after: null });
    if (chars > maxPageChars || files.length >= maxPageFiles) return finished(frames);
  }
  return finished([]);
}

interface Folder {
  readonly children: readonly NodeVersion[];
  readonly counts: ReadonlyMap<string, number>;
  readonly names: ReadonlyMap<string, string>;
  /** True if the order of the children differs from that of their names, so that each file must state its position. */
  readonly writesOrder: boolean;
}

async function folderOf(reader: Reader, parentId: string, known: Map<string, Folder>): Promise<Folder> {
  const found = known.get(parentId);
  if (found) return found;
  const children = await reader.children([parentId], maxChildren);
  const counts = await reader.childCounts(children.map(({ nodeId }) => nodeId));
  const names = fileNames(children);
  const files = children.map(({ nodeId }) => `${names.get(nodeId) ?? nodeId}.md`);
  const writesOrder = files.some((file, index) => index > 0 && file < (files[index - 1] ?? ''));
  const folder = { children, counts, names, writesOrder };
  known.set(parentId, folder);
  return folder;
}

/** Names of the folders from the top of the export down to the last parent. */
async function folderPath(reader: Reader, parents: readonly string[], known: Map<string, Folder>): Promise<readonly string[]> {
  const names: string[] = [];
  for (const [index, parentId] of parents.entries()) {
    const child = parents[index + 1];
    if (child !== undefined && child !== parentId) names.push((await folderOf(reader, parentId, known)).names.get(child) ?? child);
  }
  return names;
}

/** File names made of titles, valid on every file system. Names that differ only by case get the id of their node appended. */
function fileNames(children: readonly NodeVersion[]): ReadonlyMap<string, string> {
  const cleaned = children.map(({ nodeId, title }) => {
    const clean = title
      .replaceAll(/[\\/:*?"<>|#^[\]\p{Cc}]+/gu, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
      .replace(/^\.+|(?<![. ])[. ]+$/g, '');
    return { nodeId, clean: truncate(clean, maxNameChars).trim() };
  });
  const times = new Map<string, number>();
  for (const { clean } of cleaned) times.set(clean.toLowerCase(), (times.get(clean.toLowerCase()) ?? 0) + 1);
  return new Map(
    cleaned.map(({ nodeId, clean }) => [
      nodeId,
      clean === '' || (times.get(clean.toLowerCase()) ?? 0) > 1 ? `${truncate(clean, maxNameChars - idChars - 1)} ${nodeId}`.trim() : clean,
    ]),
  );
}

async function filesOf(
  reader: Reader,
  nodes: readonly NodeVersion[],
  { way, folder }: { way: readonly string[]; folder: Folder },
): Promise<readonly FileParts[]> {
  const texts = await reader.texts(nodes.flatMap(({ detailHash, summaryHash, briefHash }) => [detailHash, summaryHash, briefHash]));
  const first = folder.children.findIndex(({ nodeId }) => nodeId === nodes[0]?.nodeId);
  return nodes.map((node, index) => {
    const { nodeId, title, type, tags, relations, summaryHash, briefHash } = node;
    const name = folder.names.get(nodeId) ?? nodeId;
    const own = {
      id: nodeId,
      ...(title !== name && { title }),
      ...(type !== 'Concept' && { type }),
      ...(tags.length > 0 && { tags: [...tags] }),
      ...(folder.writesOrder && { order: first + index + 1 }),
      ...(summaryHash !== null && { summary: texts.get(summaryHash) ?? '' }),
      ...(briefHash !== null && { brief: texts.get(briefHash) ?? '' }),
      ...(relations.length > 0 && {
        relations: relations.map(({ id, type: kind, targetId, description }) => ({ id, type: kind, target: targetId, description })),
      }),
    };
    return { path: `${[...way, name].join('/')}.md`, own, body: texts.get(node.detailHash) ?? '' };
  });
}
