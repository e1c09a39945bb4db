// Skills in folders. They are read again at most once a second, so an edited SKILL.md is used from the next conversation on. A malformed
// skill is left out; it does not affect the others.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSkill, type SkillText } from './skill-file.js';

export const coreSkill = 'core';
const skillFile = 'SKILL.md';
const freshMs = 1_000;
const maxFileBytes = 256 * 1_024;

export interface Skill extends SkillText {
  readonly folder: string;
  /** Its other files, as paths relative to the folder, sorted. */
  readonly files: readonly string[];
}

/** A skill that could not be read, and why. */
export interface SkillFault {
  readonly folder: string;
  readonly reason: string;
}

/** The skills of all folders at one time. */
export interface SkillSet {
  /** By name. */
  readonly skills: ReadonlyMap<string, Skill>;
  readonly faults: readonly SkillFault[];
}

interface LibraryOptions {
  /** Each holds one folder for each skill. Of two skills with one name the first is used. A folder may be missing. */
  readonly folders: readonly string[];
  /** Called with each malformed skill, once for each state of its file. */
  readonly onFault?: (fault: SkillFault) => void;
  /** A monotonic clock, ms. */
  readonly now?: () => number;
}

export class SkillLibrary {
  readonly #options: LibraryOptions;
  readonly #now: () => number;
  #set: SkillSet = { skills: new Map(), faults: [] };
  /** Of all folders as they were read last. */
  #fingerprint = '';
  #checkedAt = -Infinity;
  #reloading: Promise<void> | null = null;

  constructor(options: LibraryOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The skills as they were at most a second ago. */
  async current(): Promise<SkillSet> {
    if (this.#now() - this.#checkedAt >= freshMs) await this.reload();
    return this.#set;
  }

  /** Reads the folders at once. Files are parsed again only when something has changed. */
  async reload(): Promise<void> {
    this.#reloading ??= this.#scan().finally(() => (this.#reloading = null));
    await this.#reloading;
  }

  /** The text of one of a skill's own files; null when the skill has no such file or it is larger than 256 KiB. */
  async readFile(name: string, file: string): Promise<string | null> {
    const skill = (await this.current()).skills.get(name);
    // Only listed names are opened: a path that a model makes up cannot reach another file.
    if (!skill?.files.includes(file)) return null;
    const path = join(skill.folder, file);
    // The file may have been removed since it was listed.
    const size = await stat(path).then(
      (found) => found.size,
      () => Infinity,
    );
    return size > maxFileBytes ? null : readFile(path, 'utf8');
  }

  async #scan(): Promise<void> {
    const found = await findSkills(this.#options.folders);
    const fingerprint = JSON.stringify(found);
    this.#checkedAt = this.#now();
    if (fingerprint === this.#fingerprint) return;
    const read = await Promise.all(found.map(readSkill));
    const faults = read.flatMap((one) => ('reason' in one ? [one] : []));
    this.#set = { skills: new Map(read.flatMap((one) => ('reason' in one ? [] : [[one.name, one] as const]))), faults };
    this.#fingerprint = fingerprint;
    for (const fault of faults) this.#options.onFault?.(fault);
  }
}

interface SkillFolder {
  readonly name: string;
  readonly folder: string;
  /** Changes with every edit of SKILL.md. */
  readonly state: string;
  readonly files: readonly string[];
}

async function findSkills(folders: readonly string[]): Promise<readonly SkillFolder[]> {
  const byName = new Map<string, SkillFolder>();
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
  // A folder may be removed while it is read; the next scan finds that.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((name) => name !== skillFile)
    .toSorted();
}

async function readSkill({ name, folder, files }: SkillFolder): Promise<Skill | SkillFault> {
  try {
    return { ...parseSkill(await readFile(join(folder, skillFile), 'utf8'), name), folder, files };
  } catch (error) {
    return { folder, reason: error instanceof Error ? error.message : 'unreadable' };
  }
}
