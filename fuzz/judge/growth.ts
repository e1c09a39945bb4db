// Whether a series of samples of memory is flat after its warm-up.

export interface Growth {
  readonly first: number;
  readonly last: number;
}

/** Part of the run in which caches and compiled code may still grow. */
const warmUpShare = 0.25;
/** Beyond this factor and this many bytes it is a leak. Both: small processes vary more, large ones may not grow by much. */
const maxFactor = 1.35;
const spareBytes = 48 * 2 ** 20;

/**
 * The floor, which garbage not yet collected leaves alone, of the first and the last fifth after the warm-up.
 * @returns null when there are too few samples to tell
 */
export function growthOf(samples: readonly number[]): Growth | null {
  const settled = samples.slice(Math.floor(samples.length * warmUpShare));
  const part = Math.floor(settled.length / 5);
  if (part < 5) return null;
  return { first: Math.min(...settled.slice(0, part)), last: Math.min(...settled.slice(-part)) };
}

export function isFlat({ first, last }: Growth): boolean {
  return last <= first * maxFactor + spareBytes;
}
