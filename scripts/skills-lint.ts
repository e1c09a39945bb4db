// `npm run skills:lint [-- folder]`: the tokens of each skill, its budget, and what is wrong with it.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { print, root, runScript } from '#lib/command-line';

const help = `Tokens of each skill against its budget, and what is wrong with it. Exits with 1 when something is.

  npm run skills:lint -- [folder]    default: SKILLS_DIR, else skills/
`;

await runScript(async () => {
  const [given] = parseArgs({ allowPositionals: true }).positionals;
  const { lintSkills, SkillLibrary } = await import('#lib/skills');
  const folder = resolve(process.cwd(), given ?? process.env['SKILLS_DIR'] ?? resolve(root, 'skills'));
  const lines = lintSkills(await new SkillLibrary({ folders: [folder] }).current());
  for (const { skill, tokens, budget, faults } of lines)
    print(`${faults.length === 0 ? '✓' : '✗'} ${skill}  ${tokens} of ${budget} tokens${faults.map((fault) => `\n    ${fault}`).join('')}`);
  if (lines.length === 0) print(`There is no skill in ${folder}.`);
  return lines.length > 0 && lines.every(({ faults }) => faults.length === 0) ? 0 : 1;
}, help);
