// A tree of pages → staged nodes. The same files again change nothing: pages are found by their id, else by their title under their
// parent.
import { memotreeLimits as limits } from '#lib/contracts';
import { targetsOf, type Draft } from '../draft.js';
import { Rejection } from '../rejection.js';
import { differingFields, type NodeState, type NodeVersion } from '../store/node-state.js';
import { placesAtEnd } from '../store/places.js';
import { newNodeId } from '../store/scope.js';
import { textHash, writeTexts, type NewVersion } from '../store/write-versions.js';
import { wantSummaries } from '../summaries.js';
import { shortChars } from '../nodes/node-text.js';
import { estimateTokens } from '../text/tokens.js';
import { everyNode, heightOf, type OutlineNode } from './outline.js';
import { linkedNames, resolveLinks } from './wiki-links.js';

interface Import {
  readonly parentId: string;
  readonly outline: readonly OutlineNode[];
  readonly message: string;
  readonly onProgress: (done: number, all: number) => void;
  readonly signal: AbortSignal;
}

export interface ImportOutcome {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly links: number;
  readonly unresolved: string[];
}

interface Planned {
  readonly node: OutlineNode;
  readonly nodeId: string;
  readonly parentId: string;
  readonly position: string;
  readonly before: NodeVersion | undefined;
}

const textsAtOnce = 200;

export async function importFiles(draft: Draft, { parentId, outline, message, onProgress, signal }: Import): Promise<ImportOutcome> {
  const { nodes, ancestry } = await draft.reader.living([parentId]);
  if (!nodes.has(parentId)) throw new Rejection('PARENT_NOT_FOUND', `There is no node '${parentId}' to import under`);
  const depth = ancestry.depth(parentId) + heightOf(outline);
  if (depth > limits.depth) throw new Rejection('INVALID_PARAMS', `The tree would be ${depth} steps deep; ${limits.depth} are allowed`);
  const planned = await plan(draft, { parentId, outline, isNew: false });
  const idOf = await names(draft, planned);
  const outcome = { created: 0, updated: 0, unchanged: 0, links: 0 };
  const unresolved = new Set<string>();
  for (let start = 0; start < planned.length; start += textsAtOnce) {
    signal.throwIfAborted();
    const versions: NewVersion[] = [];
    const texts: string[] = [];
    for (const one of planned.slice(start, start + textsAtOnce)) {
      const resolved = resolveLinks(one.node.content, idOf);
      if (resolved.text.length > limits.contentChars)
        throw new Rejection('INVALID_PARAMS', `'${one.node.source}' has more than ${limits.contentChars} characters`);
      outcome.links += resolved.links;
      for (const name of resolved.unresolved) unresolved.add(name);
      const state = stateOf(one, resolved.text);
      if (one.before && differingFields(one.before, state).length === 0) {
        outcome.unchanged += 1;
        continue;
      }
      outcome[one.before ? 'updated' : 'created'] += 1;
      texts.push(resolved.text, one.node.own.summary ?? '', one.node.own.brief ?? '');
      versions.push(draft.versionOf(one.nodeId, state, { before: one.before, message }));
    }
    await writeTexts(draft.runner, draft.scope.workspaceId, texts);
    await draft.putAll(versions);
    await wantSummaries(
      draft.runner,
      draft.scope.workspaceId,
      versions.filter((one) => one.detailChars > shortChars && one.summaryHash === null).map((one) => one.detailHash),
    );
    onProgress(Math.min(start + textsAtOnce, planned.length), planned.length);
  }
  return { ...outcome, unresolved: [...unresolved].slice(0, 50) };
}

/** Ids and places, a parent at a time. Under a new parent there is nothing to look for. */
async function plan(
  draft: Draft,
  { parentId, outline, isNew }: { parentId: string; outline: readonly OutlineNode[]; isNew: boolean },
): Promise<Planned[]> {
  if (outline.length === 0) return [];
  const own = outline.flatMap(({ own: { id } }) => (id === undefined || id === 'root' ? [] : [id]));
  const byId = await draft.reader.versions(own);
  const children = isNew ? [] : await draft.reader.children([parentId], limits.children);
  const taken = new Set<string>();
  const found = outline.map((node) => {
    const same = node.own.id ? byId.get(node.own.id) : children.find(({ nodeId, title }) => title === node.title && !taken.has(nodeId));
    const before = same && !same.deleted ? same : undefined;
    if (before) taken.add(before.nodeId);
    return { node, before, nodeId: before?.nodeId ?? freeId(node, byId) };
  });
  const fresh = found.filter(({ before }) => before?.parentId !== parentId);
  const places = isNew && fresh.length > limits.children ? [] : await placesAtEnd(draft.reader, parentId, fresh.length);
  if (places.length < fresh.length) throw new Rejection('INVALID_PARAMS', `'${parentId}' would have more than ${limits.children} children`);
  const planned: Planned[] = [];
  for (const { node, before, nodeId } of found) {
    const at = fresh.findIndex((one) => one.nodeId === nodeId);
    const position = at < 0 ? (before?.position ?? 'a0') : (places[at] ?? 'a0');
    planned.push({ node, nodeId, parentId, position, before });
    planned.push(...(await plan(draft, { parentId: nodeId, outline: node.children, isNew: !before })));
  }
  return planned;
}

/** An exported page keeps its id where that is free; a deleted node of that id comes back under a new one. */
function freeId({ own }: OutlineNode, present: ReadonlyMap<string, NodeVersion>): string {
  return own.id && own.id !== 'root' && !present.has(own.id) ? own.id : newNodeId();
}

function stateOf({ node, nodeId, parentId, position, before }: Planned, content: string): NodeState {
  const { own } = node;
  const detailHash = textHash(content);
  const relations =
    own.relations?.map(({ id, type, target, description }) => ({ id, type, targetId: target, description })) ?? before?.relations ?? [];
  const tags = [...new Set(own.tags?.map((tag) => tag.replace(/^#/, '').slice(0, limits.tagChars)).filter(Boolean) ?? before?.tags ?? [])];
  const kept = before?.detailHash === detailHash;
  return {
    deleted: false,
    parentId,
    position,
    type: own.type ?? before?.type ?? 'Concept',
    title: node.title,
    tags: tags.slice(0, limits.tags),
    detailHash,
    detailChars: content.length,
    detailTokens: estimateTokens(content),
    briefHash: own.brief === undefined ? (before?.briefHash ?? null) : textHash(own.brief),
    summaryHash: own.summary === undefined ? (before?.summaryHash ?? null) : textHash(own.summary),
    summaryOf: kept && before ? before.summaryOf : content === '' ? null : detailHash,
    relations: relations.slice(0, limits.relations),
    targets: targetsOf(nodeId, relations, content),
  };
}

/** Names that links may use: title, file name, path, heading; of this import first, then of what is there. */
async function names(draft: Draft, planned: readonly Planned[]): Promise<(name: string) => string | undefined> {
  const ids = new Map<string, string>();
  const add = (name: string, nodeId: string): void => {
    const key = name.toLowerCase();
    if (!ids.has(key)) ids.set(key, nodeId);
  };
  for (const { node, nodeId } of planned) add(node.source, nodeId);
  for (const { node, nodeId } of planned) add(node.source.split('/').at(-1) ?? '', nodeId);
  for (const { node, nodeId } of planned) add(node.title, nodeId);
  const others = [...everyNode(planned.map(({ node }) => ({ ...node, children: [] })))].flatMap(({ content }) => linkedNames(content));
  const missing = [...new Set(others)].filter((name) => !ids.has(name.toLowerCase()));
  for (const { title, nodeId } of await draft.reader.titled(missing)) add(title, nodeId);
  return (name) => ids.get(name.replace(/\.md$/i, '').toLowerCase()) ?? ids.get((name.split('/').at(-1) ?? '').toLowerCase());
}
