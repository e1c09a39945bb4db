import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SkillLibrary } from '#lib/skills';
import { runTool } from '#lib/handlers';
import { handleReadSkillFile } from './read-skill-file.js';
import { handleUseSkill } from './use-skill.js';

const caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' } as const;

const unused = (): never => {
  throw new Error('unused');
};

describe('tools that read skills', () => {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'skill-tools-'));
  const skills = new SkillLibrary({ folders: [folder.path] });
  beforeAll(() => {
    for (const name of ['bazi', 'empty']) {
      mkdirSync(join(folder.path, name));
      writeFileSync(join(folder.path, name, 'SKILL.md'), `---\nname: ${name}\ndescription: About ${name}\n---\nText.\n`);
    }
    writeFileSync(join(folder.path, 'bazi', 'SIGNS.md'), 'Signs.');
  });
  afterAll(() => folder.remove());

  const call = (handler: typeof handleUseSkill, input: unknown) =>
    runTool(
      handler,
      { skills, schedules: unused, results: unused },
      {
        jobId: 'j',
        number: 1,
        input,
        caller,
        sessionId: null,
        stop: new AbortController().signal,
        onProgress: () => undefined,
      },
    );

  test('use_skill says what each skill is for, each once', async () => {
    expect(await call(handleUseSkill, { skills: ['bazi', 'bazi'], topic: 'self' })).toMatchObject({
      kind: 'done',
      data: { status: 'success', topic: 'self', skills: [{ name: 'bazi', description: 'About bazi' }] },
    });
    expect(await call(handleUseSkill, { skills: [], topic: 'self' })).toMatchObject({ data: { skills: [] } });
  });

  test('use_skill refuses a skill that is not loaded, and names those that are', async () => {
    expect(await call(handleUseSkill, { skills: ['zodiac'], topic: 'self' })).toMatchObject({
      kind: 'refused',
      error: { native_code: 'UNKNOWN_SKILL', message: "The skill 'zodiac' is not loaded; there are: bazi, empty" },
    });
  });

  test('read_skill_file gives the text of a file', async () => {
    expect(await call(handleReadSkillFile, { skill: 'bazi', file: 'SIGNS.md' })).toMatchObject({
      kind: 'done',
      data: { skill: 'bazi', file: 'SIGNS.md', content: 'Signs.' },
    });
  });

  test.each([
    [{ skill: 'none', file: 'SIGNS.md' }, 'SKILL_NOT_FOUND', "There is no skill 'none'"],
    [{ skill: 'bazi', file: 'OTHER.md' }, 'FILE_NOT_FOUND', "The skill bazi has no file 'OTHER.md'; it has: SIGNS.md"],
    [{ skill: 'empty', file: 'A.md' }, 'FILE_NOT_FOUND', "The skill empty has no file 'A.md'; it has: none"],
  ])('read_skill_file refuses %j', async (input, native_code, message) => {
    expect(await call(handleReadSkillFile, input)).toMatchObject({ kind: 'refused', error: { native_code, message } });
  });
});
