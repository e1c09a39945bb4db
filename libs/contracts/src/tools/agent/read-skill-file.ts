import { z } from 'zod';
import { defineTool } from '../../define-tool.js';

/** Reads a reference file of a skill, when the skill's instructions ask for it. */
export const readSkillFile = defineTool({
  name: 'read_skill_file',
  version: '1.0.0',
  changelog: { '1.0.0': 'First version.' },
  title: 'Skill file',
  description: 'Read one reference file of a skill, such as a table of terms. The skill itself names its files.',
  zh: {
    title: '技能文件',
    description: '读取技能的一个参考文件，例如术语表。技能本身会列出它的文件。',
  },
  domain: 'agent',
  effect: 'read',
  input: z.strictObject({
    skill: z.string().min(1).max(64).describe('Name of the skill.'),
    file: z.string().min(1).max(200).describe('Name of the file, as the skill gives it.'),
  }),
  output: z.strictObject({ skill: z.string(), file: z.string(), content: z.string() }),
  errors: { SKILL_NOT_FOUND: 'RESOURCE_NOT_FOUND', FILE_NOT_FOUND: 'RESOURCE_NOT_FOUND' },
  timeoutMs: 2_000,
  estimatedTokens: { input: 20, output: { min: 266, typical: 800, max: 3200 } },
  examples: [{ input: { skill: 'bazi', file: 'TERMS.md' }, output: { skill: 'bazi', file: 'TERMS.md', content: '# 术语' } }],
});
