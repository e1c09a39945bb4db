import { Rejection } from '../rejection.js';
import { textHash } from '../store/write-versions.js';
import { hasHeadings } from './sections.js';
import type { Merge, Merged } from './text-work.js';
import { mergeText } from './update-text.js';

/** How often a change is run again because the texts that it merges have changed meanwhile. */
const maxRuns = 5;

class MergesMissing extends Error {
  override readonly name = 'MergesMissing';
}

/**
 * The texts that a change makes by merging. They are not made in its transaction, since that would hold a connection and the session's
 * lock while a text of a stranger is parsed: the first run of the change finds what is to be merged and is rolled back, then the texts
 * are made, then the change runs again.
 */
export class MergedTexts {
  readonly #made = new Map<string, Merged['text']>();
  #missing: Merge[] = [];

  /**
   * The merged text. If it has not been made yet: the given one, and the run ends with `assertComplete`.
   * @param textId names what is updated, the same for all updates of it
   * @throws Rejection INVALID_PARAMS for Markdown that is nested too deep
   */
  merge(merge: Merge): string {
    if (!hasHeadings(merge.present) && !hasHeadings(merge.given)) return mergeText(merge.present, merge.given);
    const made = this.#made.get(keyOf(merge));
    if (made && 'refused' in made) throw new Rejection('INVALID_PARAMS', made.refused);
    if (made) return made.value;
    this.#missing.push(merge);
    return merge.given;
  }

  /** At the end of a run, in its transaction. */
  assertComplete(): void {
    if (this.#missing.length > 0) throw new MergesMissing('there are texts to merge');
  }

  /**
   * Runs a change until all texts that it merges have been made.
   * @throws Rejection CONFLICT if they change each time; INVALID_PARAMS if they take too long
   */
  async whileMissing<Result>(
    change: () => Promise<Result>,
    make: (merges: readonly Merge[]) => Promise<readonly Merged[]>,
  ): Promise<Result> {
    for (let run = 1; run <= maxRuns; run += 1) {
      try {
        return await change();
      } catch (error) {
        if (!(error instanceof MergesMissing)) throw error;
        const missing = this.#missing;
        this.#missing = [];
        for (const [index, { present, text }] of (await make(missing)).entries())
          this.#made.set(keyOf({ present, given: missing[index]?.given ?? '' }), text);
      }
    }
    throw new Rejection('CONFLICT', 'The texts to be merged were changed by others each time they were read; call again');
  }
}

function keyOf({ present, given }: Pick<Merge, 'present' | 'given'>): string {
  return `${textHash(present)} ${textHash(given)}`;
}
