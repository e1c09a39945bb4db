import { coreSkill, type Skill, type SkillSet } from './skill-library.js';

/** Tokens that a skill's instructions may have (VL-37). */
const skillBudgets = { core: 2_000, specialist: 1_500 } as const;

export interface LintLine {
  readonly skill: string;
  readonly tokens: number;
  readonly budget: number;
  readonly faults: readonly string[];
}

/** One line a skill, malformed ones too; a line without faults is a pass. */
export function lintSkills(set: SkillSet): readonly LintLine[] {
  const lines = [...set.skills.values()].map((skill) => lineOf(skill, set));
  const malformed = set.faults.map(({ folder, reason }) => ({ skill: folder, tokens: 0, budget: 0, faults: [reason] }));
  return [...lines, ...malformed];
}

function lineOf(skill: Skill, set: SkillSet): LintLine {
  const budget = skill.name === coreSkill ? skillBudgets.core : skillBudgets.specialist;
  const unmet = skill.requires.filter((name) => !set.skills.has(name));
  const unread = skill.files.filter((file) => !skill.body.includes(file));
  return {
    skill: skill.name,
    tokens: skill.tokens,
    budget,
    faults: [
      ...(skill.tokens > budget ? [`${skill.tokens} tokens, more than ${budget}`] : []),
      ...unmet.map((name) => `requires ${name}, which is not there`),
      ...unread.map((file) => `does not say what its file ${file} is for`),
    ],
  };
}
