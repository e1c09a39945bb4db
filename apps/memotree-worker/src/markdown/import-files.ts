// Stages a tree of pages as nodes. Importing the same files again changes nothing: a page is matched by its id, else by its title
// among the children of its parent.
import { estimateTokens, memotreeLimits as limits, rootId } from '#lib/contracts';
import { truncateUnits } from '#lib/retrieval';
import { targetsOf, type Draft } from '../draft.js';
import { Rejection } from '../rejection.js';
import { differingFields, type NodeState, type NodeVersion } from '../store/node-state.js';
import { positionsAtEnd } from '../store/positions.js';
import { newNodeId } from '../store/scope.js';
import { textHash, writeTexts, type NewVersion } from '../store/write-versions.js';
import { requestSummaries } from '../summaries.js';
import { shortChars } from '../nodes/node-text.js';
import { LinkNames } from './link-names.js';
import { walkOutline, heightOf, type OutlineNode } from './outline.js';
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
  /** What was cut to the limits of a node, as sentences for the caller. */
  readonly cut: readonly string[];
}

interface PlannedNode {
  readonly node: OutlineNode;
  readonly nodeId: string;
  readonly parentId: string;
  readonly position: string;
  readonly before: NodeVersion | undefined;
}

/** Nodes whose texts are written together; bounds the size of one statement. */
const batchSize = 200;

/**
 * Stages the pages under a parent (MT-57). Texts are written in batches, and the signal is checked between them.
 * @throws Rejection PARENT_NOT_FOUND, or INVALID_PARAMS if the tree, a list of children or a text would exceed its limit, or for an id
 * that two pages have or that is above the parent
 */
export async function importFiles(draft: Draft, { parentId, outline, message, onProgress, signal }: Import): Promise<ImportOutcome> {
  const { nodes, ancestry } = await draft.reader.liveNodes([parentId]);
  if (!nodes.has(parentId)) throw new Rejection('PARENT_NOT_FOUND', `There is no node '${parentId}' to import under`);
  const depth = ancestry.depth(parentId) + heightOf(outline);
  if (depth > limits.depth) throw new Rejection('INVALID_PARAMS', `The tree would be ${depth} steps deep; ${limits.depth} are allowed`);
  const named = pagesById(outline);
  for (const [id, { source }] of named)
    if (ancestry.isUnder(parentId, id))
      throw new Rejection('INVALID_PARAMS', `The page '${source}' has the id '${id}', below which it would be imported`);
  const planned = await plan(draft, await draft.reader.versions([...named.keys()]), { parentId, outline, isNew: false });
  const names = await linkNamesFor(draft, planned);
  const outcome = { created: 0, updated: 0, unchanged: 0, links: 0 };
  const unresolved = new Set<string>();
  const cut: string[] = [];
  for (let start = 0; start < planned.length; start += batchSize) {
    signal.throwIfAborted();
    const versions: NewVersion[] = [];
    const texts: string[] = [];
    for (const one of planned.slice(start, start + batchSize)) {
      if (one.node.content === null && one.before) {
        outcome.unchanged += 1;
        continue;
      }
      const resolved = resolveLinks(one.node.content ?? '', one.node.links, (target) => names.find(target, one.node.source));
      if (resolved.text.length > limits.contentChars)
        throw new Rejection('INVALID_PARAMS', `'${one.node.source}' has more than ${limits.contentChars} characters`);
      outcome.links += resolved.links;
      for (const name of resolved.unresolved) unresolved.add(name);
      const state = stateOf(one, resolved.text);
      cut.push(...truncationNotices(one.node, state));
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
    await requestSummaries(
      draft.runner,
      draft.scope.workspaceId,
      versions.filter((one) => one.detailChars > shortChars && one.summaryHash === null).map((one) => one.detailHash),
    );
    onProgress(Math.min(start + batchSize, planned.length), planned.length);
  }
  return { ...outcome, unresolved: [...unresolved].slice(0, 50), cut };
}

/** The pages that name their id. @throws Rejection INVALID_PARAMS if two have the same */
function pagesById(outline: readonly OutlineNode[]): ReadonlyMap<string, OutlineNode> {
  const pages = new Map<string, OutlineNode>();
  for (const page of walkOutline(outline)) {
    const { id } = page.own;
    if (id === undefined || id === rootId) continue;
    const other = pages.get(id);
    if (other) throw new Rejection('INVALID_PARAMS', `The pages '${other.source}' and '${page.source}' have the same id '${id}'`);
    pages.set(id, page);
  }
  return pages;
}

/** Decides the id and position of each node, one parent at a time. A new parent has no children to match. */
async function plan(
  draft: Draft,
  byId: ReadonlyMap<string, NodeVersion>,
  { parentId, outline, isNew }: { parentId: string; outline: readonly OutlineNode[]; isNew: boolean },
): Promise<PlannedNode[]> {
  if (outline.length === 0) return [];
  const children = isNew ? [] : await draft.reader.children([parentId], limits.children);
  const taken = new Set<string>();
  const found = outline.map((node) => {
    const same = node.own.id
      ? byId.get(node.own.id)
      : children.find(({ nodeId, title }) => title === node.title && !taken.has(nodeId) && !byId.has(nodeId));
    const before = same && !same.deleted ? same : undefined;
    if (before) taken.add(before.nodeId);
    return { node, before, nodeId: before?.nodeId ?? freeId(node, byId) };
  });
  const fresh = found.filter(({ before }) => before?.parentId !== parentId);
  const places = await positionsAtEnd(isNew ? null : draft.reader, parentId, fresh.length);
  const planned: PlannedNode[] = [];
  for (const { node, before, nodeId } of found) {
    const at = fresh.findIndex((one) => one.nodeId === nodeId);
    const position = at < 0 ? (before?.position ?? 'a0') : (places[at] ?? 'a0');
    planned.push({ node, nodeId, parentId, position, before });
    planned.push(...(await plan(draft, byId, { parentId: nodeId, outline: node.children, isNew: !before })));
  }
  return planned;
}

/** A page keeps the id of its export if nothing has that id here. A page whose node was deleted gets a new id. */
function freeId({ own }: OutlineNode, present: ReadonlyMap<string, NodeVersion>): string {
  return own.id && own.id !== rootId && !present.has(own.id) ? own.id : newNodeId();
}

/** The state of a node after the import. Fields that the page does not name keep their present values. */
function stateOf({ node, nodeId, parentId, position, before }: PlannedNode, content: string): NodeState {
  const { own } = node;
  const detailHash = textHash(content);
  const relations =
    own.relations?.map(({ id, type, target, description }) => ({ id, type, targetId: target, description })) ?? before?.relations ?? [];
  const tags = [...new Set(own.tags?.map(fitTag).filter(Boolean) ?? before?.tags ?? [])];
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

function fitTag(tag: string): string {
  return truncateUnits(tag.replace(/^#/, ''), limits.tagChars);
}

/** Sentences on the tags and relations of a page that exceed the limits of a node. */
function truncationNotices({ source, own }: OutlineNode, { tags, relations }: NodeState): readonly string[] {
  const written = new Set(own.tags ?? []).size;
  const missing = (own.relations?.length ?? 0) - relations.length;
  return [
    ...(written > tags.length || own.tags?.some((tag) => tag.replace(/^#/, '').length > limits.tagChars)
      ? [`'${source}' has ${written} tags; ${limits.tags} of ${limits.tagChars} characters are kept`]
      : []),
    ...(own.relations && missing > 0 ? [`'${source}' has ${own.relations.length} relations; ${limits.relations} are kept`] : []),
  ];
}

/** Names for resolving links: those of this import, then titles of nodes that exist already. */
async function linkNamesFor(draft: Draft, planned: readonly PlannedNode[]): Promise<LinkNames> {
  const names = new LinkNames(planned);
  const linked = new Set(planned.flatMap(({ node }) => linkedNames(node.links)));
  const missing = [...linked].filter((name) => !names.has(name)).flatMap((name) => [name, name.split('/').at(-1) ?? '']);
  for (const { title, nodeId } of await draft.reader.nodesTitled([...new Set(missing)])) names.addTitle(title, nodeId);
  return names;
}
