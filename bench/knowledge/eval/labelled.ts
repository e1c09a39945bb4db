import { readFileSync } from 'node:fs';
import { z } from 'zod';

const line = z.object({
  id: z.string(),
  query: z.string(),
  lang: z.enum(['zh', 'en', 'mixed']),
  kind: z.enum(['keyword', 'paraphrase', 'code', 'typo', 'off_topic']),
  collection: z.string(),
  relevant: z.record(z.string(), z.number().int().min(1).max(3)),
});

/** A question with the sections that answer it, graded 1 to 3; an off-topic one has none. */
export interface Labelled extends Omit<z.infer<typeof line>, 'relevant'> {
  readonly judged: ReadonlyMap<string, number>;
}

export function readLabelled(file: string): readonly Labelled[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((text) => text.trim() !== '')
    .map((text) => line.parse(JSON.parse(text)))
    .map(({ relevant, ...rest }) => ({ ...rest, judged: new Map(Object.entries(relevant)) }));
}
