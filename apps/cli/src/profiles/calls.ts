import { importProfiles } from '#lib/contracts';
import { CommandError } from '#lib/command-line';
import type { connect } from '../connect.js';
import { runJob } from '../run-job.js';
import type { CheckedProfile, Destination, Difference, Finish, RepeatedUser } from './destination.js';
import { formatCount } from './format-count.js';
import type { ProfileRow } from './row-schema.js';

/** Below what the tool takes. */
const portion = { rows: 1_000, bytes: 2_000_000 };
/** @limit texts and files: profiles in a file that `invoq import profiles` loads by calls; an operator loads more with `--tenant` */
const maxRowsByCalls = 500_000;

const { name } = importProfiles;

/** Rows that calls of `import_profiles` load, all of a call or none. Nothing is sent before every row of the file is checked. */
export class ProfileCalls implements Destination {
  readonly #invoq: ReturnType<typeof connect>;
  readonly #lines = new Map<string, number>();
  readonly #portions: ProfileRow[][] = [];
  #bytes = portion.bytes;
  /** How many rows are loaded, for an import that is stopped. */
  loaded = 0;

  constructor(invoq: ReturnType<typeof connect>) {
    this.#invoq = invoq;
  }

  async add(rows: readonly CheckedProfile[]): Promise<readonly RepeatedUser[]> {
    const repeated: RepeatedUser[] = [];
    for (const { line, profile } of rows) {
      const firstLine = this.#lines.get(profile.user_id);
      if (firstLine !== undefined) repeated.push({ line, firstLine });
      else this.#keep(line, profile);
    }
    return repeated;
  }

  async finish({ isDryRun, signal, onStep }: Finish): Promise<Difference> {
    onStep(isDryRun ? 'comparing' : 'moving');
    const total = { added: 0, changed: 0, unchanged: 0 };
    for (const profiles of this.#portions) {
      signal.throwIfAborted();
      const { data } = await runJob(this.#invoq, { name, input: { profiles, dry_run: isDryRun } }, { signal });
      for (const key of ['added', 'changed', 'unchanged'] as const) total[key] += data[key];
      if (!isDryRun) this.loaded += profiles.length;
    }
    return total;
  }

  async drop(): Promise<void> {
    this.#lines.clear();
    this.#portions.length = 0;
  }

  #keep(line: number, profile: ProfileRow): void {
    if (this.#lines.size === maxRowsByCalls)
      throw new CommandError(
        `The file has more than ${formatCount(maxRowsByCalls)} rows. Split it, or load it beside the database with --tenant. Nothing was loaded.`,
      );
    this.#lines.set(profile.user_id, line);
    const bytes = Buffer.byteLength(JSON.stringify(profile)) + 1;
    const last = this.#portions.at(-1);
    if (last && last.length < portion.rows && this.#bytes + bytes <= portion.bytes) {
      last.push(profile);
      this.#bytes += bytes;
      return;
    }
    this.#portions.push([profile]);
    this.#bytes = bytes;
  }
}
