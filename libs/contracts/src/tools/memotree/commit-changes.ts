import { z } from 'zod';
import { sensitive } from '../../marks.js';
import { nodeId, workspaceField, text } from './fields.js';
import { memotreeTool } from './memotree-tool.js';
import { memotreeLimits as limits } from './vocabulary.js';

/** commit_changes of the MemoTree document (MT-45…51). */
export const commitChanges = memotreeTool({
  name: 'commit_changes',
  title: 'Commit changes',
  description: 'Publish the changes staged in this session on its branch, all or none. Refuses with CONFLICT when others changed the same.',
  zh: {
    title: '提交更改',
    description: '把本会话暂存的更改发布到它的分支，要么全部发布，要么都不发布。他人改过同一处时以 CONFLICT 拒绝。',
  },
  effect: 'write',
  input: z.strictObject({
    ...workspaceField,
    message: sensitive(text(limits.messageChars)).default('').describe('Composed of the staged changes when empty.'),
    specificNodes: z.array(nodeId()).max(1_000).optional().describe('Only the changes of these nodes; uncommitted parents are pulled in.'),
    createTag: z.boolean().default(false).describe('Name the commit with tagName.'),
    tagName: z
      .string()
      .regex(/^[\p{L}\p{N}_./-]{0,100}$/u, 'must have at most 100 letters, digits or _ . / -')
      .optional()
      .describe('Name of the tag; needs createTag.'),
    author: z
      .strictObject({
        name: sensitive(text(200)).default(''),
        email: sensitive(z.union([z.email(), z.literal('')])).default(''),
        timestamp: z.iso.datetime({ offset: true }).optional(),
      })
      .optional()
      .describe('Declared author; you when absent. The committer is always you, now.'),
  }),
  output: z.object({
    commitId: z.string().nullable().describe('Null when nothing was staged.'),
    branch: z.string(),
    message: sensitive(z.string()),
    committedNodes: z.array(z.string()),
    tag: z.string().nullable(),
    author: z.object({ name: sensitive(z.string()), email: sensitive(z.string()), timestamp: z.iso.datetime({ offset: true }) }).nullable(),
    committer: z.string(),
    committedAt: z.iso.datetime().nullable(),
  }),
  timeoutMs: 60_000,
  estimatedTokens: { input: 40, output: { min: 60, typical: 120, max: 4_000 } },
  examples: [
    {
      input: { message: 'Notes on retries' },
      output: {
        commitId: '5d41402abc4b2a76b9719d911017c592ae0f4c1d',
        branch: 'main',
        message: 'Notes on retries',
        committedNodes: ['3fa4c1d20b7e'],
        tag: null,
        author: { name: 'user_001', email: '', timestamp: '2026-11-21T12:00:00.000Z' },
        committer: 'user_001',
        committedAt: '2026-11-21T12:00:00.000Z',
      },
    },
  ],
});
