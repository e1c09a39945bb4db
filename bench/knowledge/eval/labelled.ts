import { readFileSync } from 'node:fs';
import { z } from 'zod';

const line = z.object({
  id: z.string(),
  query: z.string(),
  lang: z.enum(['zh', 'en', 'mixed']),
  kind: z.enum(['keyword', 'paraphrase', 'code', 'typo', 'off_topic']),
  collection: z.string(),
  split: z.enum(['development', 'held_out']),
  relevant: z.record(z.string(), z.number().int().min(1).max(3)),
});

export type Split = z.infer<typeof line>['split'];

/** A question with the sections that answer it, graded 1 to 3; an off-topic one, or one asked elsewhere, has none. */
export interface Labelled extends Omit<z.infer<typeof line>, 'relevant' | 'kind'> {
  readonly kind: z.infer<typeof line>['kind'] | 'elsewhere';
  readonly judged: ReadonlyMap<string, number>;
}

/** Where nothing answers the questions of each collection. Birth charts and star charts speak of each other's matters, so they are no pair. */
const otherOf: Readonly<Record<string, string>> = {
  health: 'stripe-onboarding',
  'stripe-onboarding': 'health',
  bazi: 'stripe-onboarding',
  zodiac: 'health',
};

export function readLabelled(file: string): readonly Labelled[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((text) => text.trim() !== '')
    .map((text) => line.parse(JSON.parse(text)))
    .map(({ relevant, ...rest }) => ({ ...rest, judged: new Map(Object.entries(relevant)) }));
}

/** The questions that have an answer, each asked of a collection that has none. */
export function askedElsewhere(labelled: readonly Labelled[]): readonly Labelled[] {
  return labelled.flatMap((one) => {
    const collection = otherOf[one.collection];
    return collection && hasAnswer(one) ? [{ ...one, kind: 'elsewhere' as const, collection, judged: new Map<string, number>() }] : [];
  });
}

export function hasAnswer({ kind }: Labelled): boolean {
  return kind !== 'off_topic' && kind !== 'elsewhere';
}
