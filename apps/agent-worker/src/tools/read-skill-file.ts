import { readSkillFile } from '#lib/contracts';
import { handleLocal } from '../local-services.js';

export const handleReadSkillFile = handleLocal(readSkillFile, async ({ skill: name, file }, { skills, error }) => {
  const skill = (await skills.current()).skills.get(name);
  if (!skill) throw error('SKILL_NOT_FOUND', `There is no skill '${name}'`);
  const content = await skills.readFile(name, file);
  if (content === null)
    throw error('FILE_NOT_FOUND', `The skill ${name} has no file '${file}'; it has: ${skill.files.join(', ') || 'none'}`);
  return { skill: name, file, content };
});
