import { useSkill } from '#lib/contracts';
import { handleLocal } from '../local-services.js';

/** For agents of others, which run their own loop: it describes the skills. Within a turn the toolbox runs `use_skill`. */
export const handleUseSkill = handleLocal(useSkill, async ({ skills: names, topic }, { skills, error }) => {
  const set = await skills.current();
  const chosen = [...new Set(names)].map((name) => {
    const skill = set.skills.get(name);
    if (!skill)
      throw error('UNKNOWN_SKILL', `The skill '${name}' is not loaded; there are: ${[...set.skills.keys()].join(', ') || 'none'}`);
    return { name, description: skill.description };
  });
  return { status: 'success' as const, topic, skills: chosen };
});
