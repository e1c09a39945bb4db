// A folder of skills that a test may write: the core, and one of its own.
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coreSkill } from '#lib/skills';

export interface SkillFolder extends AsyncDisposable {
  readonly path: string;
  /** Writes the text of a skill and names its tools. The skill `mine` has the tool calc_metrics unless others are named. */
  readonly write: (name: string, body: string, tools?: readonly string[]) => Promise<void>;
}

export async function makeSkillFolder(): Promise<SkillFolder> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'invoq-skills-'));
  const write: SkillFolder['write'] = async (name, body, tools = name === 'mine' ? ['calc_metrics'] : []) => {
    await mkdir(join(folder.path, name), { recursive: true });
    await writeFile(
      join(folder.path, name, 'SKILL.md'),
      `---\nname: ${name}\ndescription: The skill ${name}\ntools: [${tools.join(', ')}]\n---\n${body}\n`,
    );
  };
  await write(coreSkill, 'Core text.');
  await write('mine', 'First text of mine.');
  return { path: folder.path, write, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}
