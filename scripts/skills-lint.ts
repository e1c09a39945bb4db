// `npm run skills:lint [-- folder]`: tokens of each skill against its budget, and what is wrong with it.
import { resolve } from 'node:path';
import { lintSkills, SkillLibrary } from '#lib/skills';
import { root } from './root.js';
import { runScript, say } from './say.js';

await runScript(async () => {
  const folder = resolve(process.cwd(), process.argv[2] ?? process.env['SKILLS_DIR'] ?? resolve(root, 'skills'));
  const lines = lintSkills(await new SkillLibrary({ folders: [folder] }).current());
  for (const { skill, tokens, budget, faults } of lines)
    say(`${faults.length === 0 ? '✓' : '✗'} ${skill}  ${tokens} of ${budget} tokens${faults.map((fault) => `\n    ${fault}`).join('')}`);
  if (lines.length === 0) say(`There is no skill in ${folder}.`);
  return lines.length > 0 && lines.every(({ faults }) => faults.length === 0) ? 0 : 1;
});
