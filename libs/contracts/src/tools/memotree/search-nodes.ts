import { z } from 'zod';
import { sensitive } from '../../marks.js';
import { isStorableText } from '../../storable.js';
import {
  nodeFactsOut,
  nodeId,
  nodeType,
  notStorable,
  workspaceField,
  relationType,
  searchType,
  text,
  viewName,
  looseEnum,
} from './fields.js';
import { memotreeTool } from './memotree-tool.js';
import { lodLevels, memotreeLimits as limits, searchScopes, searchTypes } from './vocabulary.js';

/** search_nodes of the MemoTree document (MT-36…44, C-69, C-70, C-76). */
export const searchNodes = memotreeTool({
  name: 'search_nodes',
  title: 'Search nodes',
  description: 'Find nodes by words, meaning, relation, or words and meaning together. Filters and scope are combined with AND.',
  zh: {
    title: '搜索节点',
    description: '按词语、含义、关系，或词语与含义一起查找节点。过滤条件与范围须同时满足。',
  },
  effect: 'read',
  input: z.strictObject({
    ...workspaceField,
    query: sensitive(text(1_000)).default('').describe('Words; empty lists what the filters let through, newest first.'),
    searchType: searchType().default('FullText').describe('FullText, Semantic, Relation or Hybrid.'),
    maxResults: z
      .int()
      .refine((count) => count >= 1, { error: 'must be at least 1' })
      .default(10)
      .describe(`1–${limits.results}; more is capped, with a warning.`),
    nodeTypes: z.array(nodeType()).max(20).optional().describe('Only these types; empty means all.'),
    tags: z
      .array(z.string().refine(isStorableText, notStorable))
      .max(limits.tags)
      .optional()
      .describe('Only nodes that have all of these.'),
    scope: looseEnum(searchScopes).default('All').describe('All, CurrentView, Subtree or Related.'),
    scopeNodeId: nodeId().optional().describe('Top of the Subtree, or centre of Related; else the node last expanded in the view.'),
    viewName: viewName(),
    relationTypes: z.array(relationType()).max(10).optional().describe('Relation and Related: only along these.'),
    maxHops: z.int().min(1).max(limits.hops).default(1).describe('Relation and Related: steps from the centre, 1–3.'),
    includePreview: z.boolean().default(true).describe('Give a passage around the match.'),
    previewLength: z.int().min(0).max(limits.previewChars).default(200).describe('Characters of a preview, 0–2000.'),
  }),
  output: z.object({
    results: z.array(
      z.object({
        ...nodeFactsOut,
        level: z.enum(lodLevels).describe('Layer in which the match was found.'),
        score: z.number(),
        preview: sensitive(z.string()).optional(),
        highlightedTerms: sensitive(z.array(z.string())),
        path: sensitive(z.array(z.string())).describe('Titles from the root to the parent.'),
        staged: z.boolean().describe('Changed by this session and not committed.'),
        hops: z.int().optional(),
      }),
    ),
    searchType: z.enum(searchTypes).describe('What was run: FullText when meaning could not be searched.'),
  }),
  estimatedTokens: { input: 40, output: { min: 20, typical: 900, max: 30_000 } },
  examples: [
    {
      input: { query: 'retry budget', maxResults: 3 },
      output: {
        results: [
          {
            nodeId: '3fa4c1d20b7e',
            title: 'Retry rules',
            type: 'Concept',
            tags: ['queue'],
            parentId: 'root',
            level: 'Detail',
            score: 7.1,
            preview: 'Each kind of failure has a budget of its own.',
            highlightedTerms: ['budget', 'Retry'],
            path: ['default'],
            staged: true,
          },
        ],
        searchType: 'FullText',
      },
    },
  ],
});
