import { memotreeLimits as limits, type Freshness, type LodLevel, type NodeType, type UpdateMode } from '#lib/contracts';
import { codePoints } from '#lib/retrieval';
import { targetsOf, type Draft } from '../draft.js';
import { Rejection } from '../rejection.js';
import { differingFields, type NodeState, type NodeVersion } from '../store/node-state.js';
import { textHash, writeTexts } from '../store/write-versions.js';
import { requestSummaries } from '../summaries.js';
import { updateText } from '../text/update-text.js';
import { View } from '../views.js';
import { NodeTexts, shortChars } from './node-text.js';

export interface NodeUpdate {
  readonly nodeId: string;
  readonly level?: LodLevel | null | undefined;
  readonly content?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly type?: NodeType | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly commitMessage: string;
  readonly regenerateSummary: boolean;
  readonly mode: UpdateMode;
}

export interface UpdatedNode {
  readonly nodeId: string;
  readonly title: string;
  readonly type: NodeType;
  readonly tags: string[];
  readonly parentId: string | null;
  readonly changed: string[];
  readonly freshness: Freshness;
}

/**
 * Updates a node (MT-32…35, C-67, C-68). Stages nothing if nothing changes.
 * @throws Rejection NODE_NOT_FOUND, or INVALID_PARAMS if a title, a text or the tags would exceed their limit
 */
export async function updateOne(draft: Draft, update: NodeUpdate, warn: (warning: string) => void): Promise<UpdatedNode> {
  const { nodeId } = update;
  const { nodes, ancestry } = await draft.reader.liveNodes([nodeId]);
  const before = nodes.get(nodeId);
  if (!before) throw new Rejection('NODE_NOT_FOUND', `There is no node '${nodeId}'`);
  if (isEmpty(update)) warn('There is nothing to update');
  if (update.level && update.content == null) {
    const view = new View(draft.runner, draft.scope.sessionId, 'default');
    const way = ancestry.ancestors(nodeId).map((step) => step.nodeId);
    await view.set({ nodeId, level: update.level, expanded: update.level === 'Detail', folded: false }, way);
  }
  let state: NodeState = {
    ...before,
    title: update.title ?? before.title,
    type: update.type ?? before.type,
    tags: tagsAfter(before.tags, update),
  };
  if (update.content != null) state = await withContent(draft, state, { before, update, content: update.content });
  if (update.regenerateSummary) {
    state = { ...state, briefHash: null, summaryHash: null, summaryOf: state.detailHash };
    if (state.detailChars > shortChars) await requestSummaries(draft.runner, draft.scope.workspaceId, [state.detailHash]);
  }
  const changed = differingFields(before, state);
  if (changed.length > 0) await draft.put(nodeId, state, { before, message: update.commitMessage });
  const after = { ...before, ...state };
  const { freshness } = (await NodeTexts.load(draft.reader, [{ node: after, level: 'Title' }])).at(after, 'Title');
  if (freshness === 'stale' && changed.includes('content'))
    warn('The summary is of the earlier content; update with regenerateSummary to make it anew');
  return {
    nodeId,
    title: state.title,
    type: state.type,
    tags: [...state.tags],
    parentId: state.parentId,
    changed: [...changed],
    freshness,
  };
}

function isEmpty({ level, content, title, type, tags, regenerateSummary }: NodeUpdate): boolean {
  return level == null && content == null && title == null && type == null && tags == null && !regenerateSummary;
}

/** The tags after an update: replaced in mode Replace, otherwise the union. */
function tagsAfter(present: readonly string[], { tags, mode }: NodeUpdate): readonly string[] {
  if (tags == null) return present;
  const after = mode === 'Replace' ? tags : [...new Set([...present, ...tags])];
  if (after.length > limits.tags)
    throw new Rejection(
      'INVALID_PARAMS',
      `The node would have ${after.length} tags; ${limits.tags} are allowed. Use mode Replace to drop some`,
    );
  return after;
}

interface ContentUpdate {
  readonly before: NodeVersion;
  readonly update: NodeUpdate;
  readonly content: string;
}

/** Writes the layer that `level` names: content, summary, brief or title (C-67). */
async function withContent(draft: Draft, state: NodeState, { before, update, content }: ContentUpdate): Promise<NodeState> {
  const level = update.level ?? 'Detail';
  if (level === 'Title') {
    if (codePoints(content) > limits.titleChars)
      throw new Rejection('INVALID_PARAMS', `Content for the level Title must have at most ${limits.titleChars} characters`);
    return { ...state, title: content };
  }
  const hash = level === 'Detail' ? before.detailHash : level === 'Summary' ? before.summaryHash : before.briefHash;
  const present = (await draft.reader.texts([hash])).get(hash ?? '') ?? '';
  const text =
    update.mode === 'Merge'
      ? draft.merges.merge({ textId: `${before.nodeId} ${level}`, present, given: content })
      : updateText(present, content, update.mode);
  if (codePoints(text) > limits.contentChars)
    throw new Rejection('INVALID_PARAMS', `The ${level} would have more than ${limits.contentChars} characters`);
  if (level === 'Detail') {
    const facts = await draft.storeText(text);
    return { ...state, ...facts, targets: targetsOf(before.nodeId, state.relations, text) };
  }
  await writeTexts(draft.runner, draft.scope.workspaceId, [text]);
  const written = textHash(text);
  return level === 'Summary' ? { ...state, summaryHash: written, summaryOf: state.detailHash } : { ...state, briefHash: written };
}
