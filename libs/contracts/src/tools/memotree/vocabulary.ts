// The words and limits of the MemoTree document (C-66), without schemas, since workers and wire formats use them too.
import { memotreeErrorCodes } from '../../wire/memotree.js';

export { memotreeErrorCodes };

/** Levels of detail, least first. Callers may send the index instead of the word. */
export const lodLevels = ['Title', 'Brief', 'Summary', 'Detail'] as const;
export type LodLevel = (typeof lodLevels)[number];

export const nodeTypes = ['Concept', 'Memory', 'Plan', 'Reference', 'Code'] as const;
export type NodeType = (typeof nodeTypes)[number];

export const relationTypes = ['References', 'InspiredBy', 'Contradicts', 'Extends', 'DependsOn'] as const;
export type RelationType = (typeof relationTypes)[number];

export const updateModes = ['Merge', 'Replace', 'Append', 'Prepend'] as const;
export type UpdateMode = (typeof updateModes)[number];

export const searchTypes = ['FullText', 'Semantic', 'Relation', 'Hybrid'] as const;
export type SearchType = (typeof searchTypes)[number];

export const searchScopes = ['All', 'CurrentView', 'Subtree', 'Related'] as const;
export type SearchScope = (typeof searchScopes)[number];

/**
 * The state of a node's summary: `fresh`, made from the present content · `stale`, made or written for earlier content · `pending`, being
 * made · `none`, there is none.
 */
export const freshnesses = ['fresh', 'stale', 'pending', 'none'] as const;
export type Freshness = (typeof freshnesses)[number];

export const rootId = 'root';
export const nodeIdShape = /^(root|[0-9a-f]{12})$/;

export const memotreeLimits = {
  idChars: 50,
  titleChars: 200,
  contentChars: 1_000_000,
  tags: 20,
  tagChars: 50,
  relations: 100,
  relationChars: 500,
  children: 1_000,
  /** Steps from the root to the deepest node. */
  depth: 20,
  results: 50,
  previewChars: 2_000,
  hops: 3,
  batch: 50,
  messageChars: 500,
  renderTokens: 8_000,
} as const;

export type MemotreeErrorCode = (typeof memotreeErrorCodes)[number];
