import { useSkillAmong } from '#lib/contracts';
import type { SkillSet } from '#lib/skills';
import { coreSkill } from '#lib/skills';
import type { PastTurn } from '#lib/conversations';
import type { Step } from './step.js';

type SkillChoice = ReturnType<typeof useSkillAmong>;
const made = new WeakMap<SkillSet, SkillChoice | null>();

/** `use_skill` for the skills that are there now; null when there is none to choose. Made once for each state of the folders. */
export function skillChoice(set: SkillSet): SkillChoice | null {
  const known = made.get(set);
  if (known !== undefined) return known;
  const choice = choiceOf(set);
  made.set(set, choice);
  return choice;
}

function choiceOf(set: SkillSet): SkillChoice | null {
  const [first, ...rest] = [...set.skills.keys()].filter((name) => name !== coreSkill);
  return first === undefined ? null : useSkillAmong([first, ...rest]);
}

/** The skills in use: those of the last successful choice of this turn, else of the turns before it. */
export function chosenSkills(history: readonly PastTurn[], steps: readonly Step[]): readonly string[] {
  const results = [...history, { steps }].flatMap((turn) => turn.steps.flatMap((step) => step.results));
  for (const { name, result } of results.toReversed()) {
    if (name !== 'use_skill' || result['status'] !== 'success' || !Array.isArray(result['skills'])) continue;
    return result['skills'].flatMap((skill: unknown) =>
      typeof skill === 'object' && skill !== null && 'name' in skill && typeof skill.name === 'string' ? [skill.name] : [],
    );
  }
  return [];
}
