// Skills as they lie in folders. They are looked at again at most once a second, so an edited SKILL.md is in use with the
// next conversation, and a malformed one takes its own skill away and no other.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSkill, type SkillText } from './skill-file.js';

export const coreSkill = 'core';
const skillFile = 'SKILL.md';
const freshMs = 1_000;
const maxFileBytes = 256 * 1_024;

export interface Skill extends SkillText {
  readonly folder: string;
  /** Names of its other files, paths relative to the folder. */
  readonly files: readonly string[];
}

export interface SkillFault {
  readonly folder: string;
  readonly reason: string;
}

/** Everything that lies in the folders at one time. */
export interface SkillSet {
  readonly skills: ReadonlyMap<string, Skill>;
  readonly faults: readonly SkillFault[];
}

interface LibraryOptions {
  /** Folders that hold a folder a skill; the first that has a name wins. One that is not there holds none. */
  readonly folders: readonly string[];
  /** Told of each malformed skill, once for each state of its file. */
  readonly onFault?: (fault: SkillFault) => void;
}

export class SkillLibrary {
  readonly #options: LibraryOptions;
  #set: SkillSet = { skills: new Map(), faults: [] };
  #stamp = '';
  #checkedAt = -Infinity;
  #checking: Promise<void> | null = null;

  constructor(options: LibraryOptions) {
    this.#options = options;
  }

  /** The skills as they are now. */
  async current(): Promise<SkillSet> {
    if (performance.now() - this.#checkedAt >= freshMs) await this.reload();
    return this.#set;
  }

  /** Looks at the folders at once. What has not changed is not read again. */
  async reload(): Promise<void> {
    this.#checking ??= this.#look().finally(() => (this.#checking = null));
    await this.#checking;
  }

  /** The text of one of a skill's own files; null when the skill does not have it. */
  async readFile(name: string, file: string): Promise<string | null> {
    const skill = (await this.current()).skills.get(name);
    // Only names that the folder listed: a path from a model reaches nothing else.
    if (!skill?.files.includes(file)) return null;
    const path = join(skill.folder, file);
    if ((await stat(path)).size > maxFileBytes) return null;
    return readFile(path, 'utf8');
  }

  async #look(): Promise<void> {
    const places = await placesIn(this.#options.folders);
    const stamp = JSON.stringify(places);
    this.#checkedAt = performance.now();
    if (stamp === this.#stamp) return;
    const read = await Promise.all(places.map(readSkill));
    const faults = read.flatMap((one) => ('reason' in one ? [one] : []));
    this.#set = { skills: new Map(read.flatMap((one) => ('reason' in one ? [] : [[one.name, one] as const]))), faults };
    this.#stamp = stamp;
    for (const fault of faults) this.#options.onFault?.(fault);
  }
}

interface Place {
  readonly name: string;
  readonly folder: string;
  /** Changes with every edit of SKILL.md. */
  readonly state: string;
  readonly files: readonly string[];
}

async function placesIn(folders: readonly string[]): Promise<readonly Place[]> {
  const byName = new Map<string, Place>();
  for (const parent of folders) {
    const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const folder = join(parent, entry.name);
      const file = entry.isDirectory() && !byName.has(entry.name) ? await stat(join(folder, skillFile)).catch(() => null) : null;
      if (file) byName.set(entry.name, { name: entry.name, folder, state: `${file.mtimeMs}:${file.size}`, files: await filesIn(folder) });
    }
  }
  return [...byName.values()];
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((name) => name !== skillFile)
    .toSorted();
}

async function readSkill({ name, folder, files }: Place): Promise<Skill | SkillFault> {
  try {
    return { ...parseSkill(await readFile(join(folder, skillFile), 'utf8'), name), folder, files };
  } catch (error) {
    return { folder, reason: error instanceof Error ? error.message : 'unreadable' };
  }
}
