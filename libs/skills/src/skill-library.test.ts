import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { SkillLibrary } from './skill-library.js';

const skillText = (name: string, body = 'Do this.') => `---\nname: ${name}\ndescription: What it is for\n---\n${body}\n`;

/** A folder with these skills, which is removed with its scope. */
async function folderWith(skills: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'skills-'));
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  for (const [name, text] of Object.entries(skills)) await write(`${name}/SKILL.md`, text);
  return {
    folder,
    write,
    remove: (path: string) => rm(join(folder, path), { recursive: true }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function bodiesIn(library: SkillLibrary) {
  return Object.fromEntries([...(await library.current()).skills].map(([name, { body }]) => [name, body]));
}

describe('a library', () => {
  test('has the skills of its folders, of two with one name the first', async () => {
    await using first = await folderWith({ a: skillText('a', 'First a.'), b: skillText('b') });
    await using second = await folderWith({ a: skillText('a', 'Second a.'), c: skillText('c') });
    const library = new SkillLibrary({ folders: [first.folder, '/nowhere', second.folder] });
    expect(await bodiesIn(library)).toEqual({ a: 'First a.', b: 'Do this.', c: 'Do this.' });
  });

  test('without any folder is empty', async () => {
    expect((await new SkillLibrary({ folders: ['/nowhere'] }).current()).skills.size).toBe(0);
  });

  test('looks for changes once a second', async () => {
    await using dir = await folderWith({ one: skillText('one', 'First.') });
    let now = 0;
    const library = new SkillLibrary({ folders: [dir.folder], now: () => now });
    await library.current();
    await dir.write('one/SKILL.md', skillText('one', 'Second text.'));
    await dir.write('two/SKILL.md', skillText('two'));
    now = 999;
    expect(await bodiesIn(library)).toEqual({ one: 'First.' });
    now = 1_000;
    expect(await bodiesIn(library)).toEqual({ one: 'Second text.', two: 'Do this.' });
    await dir.remove('one');
    await library.reload();
    expect(await bodiesIn(library)).toEqual({ two: 'Do this.' });
  });

  test('keeps its set while nothing changes, so that what is made of it can be kept too', async () => {
    await using dir = await folderWith({ one: skillText('one') });
    const library = new SkillLibrary({ folders: [dir.folder] });
    const before = await library.current();
    await library.reload();
    expect(await library.current()).toBe(before);
  });

  test('leaves out a malformed skill alone, and reports each state of it once', async () => {
    await using dir = await folderWith({ one: skillText('one'), two: 'broken' });
    const faults: string[] = [];
    const library = new SkillLibrary({ folders: [dir.folder], onFault: ({ folder, reason }) => faults.push(`${folder}: ${reason}`) });
    for (let scan = 0; scan < 2; scan++) await library.reload();
    expect(Object.keys(await bodiesIn(library))).toEqual(['one']);
    expect(faults).toEqual([`${join(dir.folder, 'two')}: SKILL.md must begin with front matter between two lines of ---`]);
    await dir.write('two/SKILL.md', skillText('other'));
    await library.reload();
    expect(faults).toHaveLength(2);
    expect((await library.current()).faults).toEqual([
      { folder: join(dir.folder, 'two'), reason: 'name: must be the name of its folder, "two"' },
    ]);
  });
});

describe("a skill's own files", () => {
  test('are listed with their paths, and read', async () => {
    await using dir = await folderWith({ one: skillText('one') });
    await dir.write('one/MORE.md', 'more');
    await dir.write('one/tables/signs.md', 'signs');
    const library = new SkillLibrary({ folders: [dir.folder] });
    expect((await library.current()).skills.get('one')?.files).toEqual(['MORE.md', 'tables/signs.md']);
    expect(await library.readFile('one', 'tables/signs.md')).toBe('signs');
  });

  test.each(['../one/MORE.md', './MORE.md', '/etc/passwd', 'SKILL.md', 'none', '', '..'])('do not include %j', async (file) => {
    await using dir = await folderWith({ one: skillText('one') });
    await dir.write('one/MORE.md', 'more');
    await dir.write('secret.md', 'secret');
    const library = new SkillLibrary({ folders: [dir.folder] });
    expect(await library.readFile('one', file)).toBeNull();
  });

  test('of another skill, or removed since they were listed, are none', async () => {
    await using dir = await folderWith({ one: skillText('one'), two: skillText('two') });
    await dir.write('one/MORE.md', 'more');
    const library = new SkillLibrary({ folders: [dir.folder], now: () => 0 });
    expect(await library.readFile('two', 'MORE.md')).toBeNull();
    expect(await library.readFile('none', 'MORE.md')).toBeNull();
    expect(await library.readFile('one', 'MORE.md')).toBe('more');
    await dir.remove('one/MORE.md');
    expect(await library.readFile('one', 'MORE.md')).toBeNull();
  });

  test.each([
    [256 * 1_024, true],
    [256 * 1_024 + 1, false],
  ])('of %i bytes: read %s', async (bytes, isRead) => {
    await using dir = await folderWith({ one: skillText('one') });
    await dir.write('one/LARGE.md', 'x'.repeat(bytes));
    const library = new SkillLibrary({ folders: [dir.folder] });
    expect((await library.readFile('one', 'LARGE.md')) !== null).toBe(isRead);
  });
});
