import { z } from 'zod';
import { sensitive } from '../../marks.js';
import { isStorableText } from '../../storable.js';
import { branchName, nodeId, notStorable, workspaceField } from './fields.js';
import { memotreeTool } from './memotree-tool.js';

/** list_commits, an operation beside those of the MemoTree document. */
export const listCommits = memotreeTool({
  name: 'list_commits',
  title: 'List commits',
  description: 'History of a branch, newest first, or of one node of it. Go on with `before` and the last commitId.',
  zh: {
    title: '提交列表',
    description: '一个分支或其中一个节点的历史，最新的在前。用 `before` 和最后一个 commitId 继续。',
  },
  effect: 'read',
  input: z.strictObject({
    ...workspaceField,
    branch: branchName().optional().describe('The branch of this session when absent.'),
    nodeId: nodeId().optional().describe('Only commits that changed this node.'),
    before: z.string().max(100).refine(isStorableText, notStorable).optional().describe('Only commits older than this one.'),
    maxResults: z.int().min(1).max(100).default(20).describe('At most so many, 1–100.'),
  }),
  output: z.object({
    branch: z.string(),
    commits: z.array(
      z.object({
        commitId: z.string(),
        message: sensitive(z.string()),
        author: z.object({ name: sensitive(z.string()), email: sensitive(z.string()), timestamp: z.iso.datetime({ offset: true }) }),
        committer: z.string(),
        committedAt: z.iso.datetime(),
        changes: z.int(),
        tags: z.array(z.string()),
        mergedFrom: z.string().nullable().describe('Commit of the other branch, for a merge.'),
      }),
    ),
  }),
  estimatedTokens: { input: 20, output: { min: 300, typical: 600, max: 10_000 } },
  examples: [{ input: { maxResults: 1 }, output: { branch: 'main', commits: [] } }],
});
