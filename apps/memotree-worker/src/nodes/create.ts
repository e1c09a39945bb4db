import { memotreeLimits as limits, rootId, type Freshness, type LodLevel, type NodeType } from '#lib/contracts';
import { targetsOf, type Draft } from '../draft.js';
import { Rejection } from '../rejection.js';
import { positionAmong } from '../store/positions.js';
import { newNodeId } from '../store/scope.js';
import { requestSummaries } from '../summaries.js';
import { View } from '../views.js';
import { freshnessOf, shortChars } from './node-text.js';

export interface NewNode {
  readonly parentId?: string | null | undefined;
  readonly beforeId?: string | null | undefined;
  readonly type: NodeType;
  readonly title: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly commitMessage: string;
  readonly initialLevel: LodLevel;
  readonly autoGenerateSummary: boolean;
}

export interface CreatedNode {
  readonly nodeId: string;
  readonly title: string;
  readonly type: NodeType;
  readonly tags: string[];
  readonly parentId: string;
  readonly level: LodLevel;
  readonly freshness: Freshness;
}

/**
 * Creates a node (MT-24…31), requests its summary, and opens the path to it in the default view.
 * @throws Rejection PARENT_NOT_FOUND, NODE_NOT_FOUND for `beforeId`, INVALID_PARAMS beyond the limits of depth and children
 */
export async function createOne(draft: Draft, node: NewNode, warn: (warning: string) => void): Promise<CreatedNode> {
  const parentId = node.parentId ?? rootId;
  const { nodes, ancestry } = await draft.reader.liveNodes([parentId]);
  if (!nodes.has(parentId)) throw new Rejection('PARENT_NOT_FOUND', `There is no node '${parentId}' to create under`);
  if (ancestry.depth(parentId) >= limits.depth)
    throw new Rejection('INVALID_PARAMS', `The node '${parentId}' is ${limits.depth} steps below the root, as deep as a tree may be`);
  const position = await positionAmong(draft.reader, parentId, { beforeId: node.beforeId });
  if (node.title.trim() === '') warn('The node has no title');
  const nodeId = newNodeId();
  const text = await draft.storeText(node.content);
  const state = {
    ...text,
    deleted: false,
    parentId,
    position,
    type: node.type,
    title: node.title,
    tags: node.tags,
    briefHash: null,
    summaryHash: null,
    summaryOf: node.autoGenerateSummary && node.content !== '' ? text.detailHash : null,
    relations: [],
    targets: targetsOf(nodeId, [], node.content),
  };
  await draft.put(nodeId, state, { before: undefined, message: node.commitMessage });
  if (state.summaryOf !== null && node.content.length > shortChars)
    await requestSummaries(draft.runner, draft.scope.workspaceId, [state.summaryOf]);
  const way = [...ancestry.pathToRoot(parentId)].map((step) => step.nodeId);
  await new View(draft.runner, draft.scope.sessionId, 'default').set(
    { nodeId, level: node.initialLevel, expanded: false, folded: false },
    way,
  );
  return {
    nodeId,
    title: node.title,
    type: node.type,
    tags: [...node.tags],
    parentId,
    level: node.initialLevel,
    freshness: freshnessOf(state),
  };
}
