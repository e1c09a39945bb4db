import { z } from 'zod';
import { defineTool } from '../../define-tool.js';

const topics = ['career', 'relationship', 'fortune', 'health', 'self', 'general'] as const;
export type Topic = (typeof topics)[number];

/** The skills of the product itself (VL-16). */
const builtInSkills = ['bazi', 'zodiac'] as const;

/** The contract with these skills to choose from: the product's own and those of the user. */
export function useSkillTool(names: readonly [string, ...string[]]) {
  return defineTool({
    name: 'use_skill',
    version: '1.0.0',
    changelog: { '1.0.0': 'The VibeLife agent specification v5.0.' },
    title: 'Use skills',
    description: '选择使用的技能来回答用户问题。一个技能会被加载并继续对话，多个技能会并行分析后融合；与任何技能无关的问题传空列表。',
    zh: {
      title: '使用技能',
      description: '选择使用的技能来回答用户问题。一个技能会被加载并继续对话，多个技能会并行分析后融合；与任何技能无关的问题传空列表。',
    },
    domain: 'agent',
    effect: 'read',
    input: z.strictObject({
      skills: z.array(z.enum(names)).max(8).describe('需要使用的技能列表'),
      topic: z.enum(topics).describe('用户关注的话题类型'),
    }),
    output: z.strictObject({
      status: z.literal('success'),
      topic: z.enum(topics),
      skills: z.array(z.strictObject({ name: z.string(), description: z.string() })).describe('The skills now in use.'),
      analyses: z
        .array(z.strictObject({ skill: z.string(), content: z.string().optional(), error: z.string().optional() }))
        .optional()
        .describe('With several skills: what each found, or why it found nothing.'),
    }),
    errors: { UNKNOWN_SKILL: 'INVALID_PARAMS' },
    timeoutMs: 5_000,
    estimatedTokens: { input: 20, output: { min: 20, typical: 60, max: 240 } },
    examples: [
      {
        input: { skills: names.slice(0, 1), topic: 'career' },
        output: { status: 'success', topic: 'career', skills: [{ name: names[0], description: 'What it is for.' }] },
      },
    ],
  });
}

/** UseSkill of the VibeLife agent specification (VL-16, VL-17). */
export const useSkill = useSkillTool(builtInSkills);
