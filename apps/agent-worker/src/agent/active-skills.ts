import { useSkillTool } from '#lib/contracts';
import type { PastTurn } from '#lib/conversations';
import { coreSkill, type SkillSet } from '#lib/skills';
import type { Step } from './step.js';

type UseSkillContract = ReturnType<typeof useSkillTool>;
const contracts = new WeakMap<SkillSet, UseSkillContract | null>();

/** The contract of `use_skill` for the skills that are loaded; null when there is none but core. Made once for each set. */
export function useSkillContract(set: SkillSet): UseSkillContract | null {
  const known = contracts.get(set);
  if (known !== undefined) return known;
  const [first, ...rest] = [...set.skills.keys()].filter((name) => name !== coreSkill);
  const contract = first === undefined ? null : useSkillTool([first, ...rest]);
  contracts.set(set, contract);
  return contract;
}

/** The skills in use: those of the latest successful `use_skill` in this turn, else in the turns before it. */
export function activeSkills(history: readonly PastTurn[], steps: readonly Step[]): readonly string[] {
  const results = [...history, { steps }].flatMap((turn) => turn.steps.flatMap((step) => step.results));
  for (const { name, result } of results.toReversed()) {
    if (name !== 'use_skill' || result['status'] !== 'success' || !Array.isArray(result['skills'])) continue;
    return result['skills'].flatMap((skill: unknown) =>
      typeof skill === 'object' && skill !== null && 'name' in skill && typeof skill.name === 'string' ? [skill.name] : [],
    );
  }
  return [];
}
