import { coreSkill, type Skill, type SkillSet } from './skill-library.js';

/** The most tokens of a skill's instructions (VL-37). */
const budgets = { core: 2_000, specialist: 1_500 } as const;

export interface LintLine {
  /** The name of a skill; the folder of a malformed one. */
  readonly skill: string;
  readonly tokens: number;
  /** The most tokens that it may have. */
  readonly budget: number;
  /** Empty when the skill passes. */
  readonly faults: readonly string[];
}

/** One line for each skill, then one for each malformed skill. */
export function lintSkills(set: SkillSet): readonly LintLine[] {
  const lines = [...set.skills.values()].map((skill) => lintSkill(skill, set));
  const malformed = set.faults.map(({ folder, reason }) => ({ skill: folder, tokens: 0, budget: 0, faults: [reason] }));
  return [...lines, ...malformed];
}

function lintSkill(skill: Skill, set: SkillSet): LintLine {
  const budget = skill.name === coreSkill ? budgets.core : budgets.specialist;
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
