import { test } from '@jest/globals';
import type { RequirementId } from './requirements.js';

/**
 * A test that shows requirements to hold. The ids are written out where it is called: the coverage test reads them from
 * the sources, so a run of one file knows as much as a run of all.
 */
export function verifies(_ids: readonly [RequirementId, ...RequirementId[]], behaviour: string, work: () => Promise<void> | void): void {
  test(behaviour, async () => work());
}
