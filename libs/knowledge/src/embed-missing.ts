import type { Sql, VectorIndex } from '#lib/retrieval';
import { embeddedText } from './import/units.js';
import { loadSections } from './sections.js';
import { spaceOf } from './spaces.js';

const batch = 64;
const ours = spaceOf(0).replace('0', '');

/**
 * Makes the vectors that a new provider has not made yet, oldest first, until all are there or the signal fires. Search goes on
 * meanwhile: by keywords, and by the vectors that there are. Several at once repeat each other's work and harm nothing.
 * @returns how many it made
 */
export async function embedMissing(pool: Sql, vectors: Pick<VectorIndex, 'missing' | 'put'>, signal: AbortSignal): Promise<number> {
  let made = 0;
  let after = 0;
  while (!signal.aborted) {
    const missing = await vectors.missing({ after, limit: batch });
    const last = missing.at(-1);
    if (!last) break;
    after = last.id;
    const own = missing.filter(({ space }) => space.startsWith(ours));
    const unitOf = new Map(own.map(({ id, ref }) => [Number(ref), id]));
    const sections = await loadSections(pool, [...unitOf.keys()]);
    const texts = sections.map((section): [number, string] => [
      unitOf.get(section.id) ?? 0,
      embeddedText(
        { title: section.page },
        {
          title: section.title,
          titleEn: section.titleEn ?? undefined,
          keyTerms: section.keyTerms,
          summary: section.summary ?? undefined,
          content: section.content,
        },
      ),
    ]);
    await vectors.put(new Map(texts), { signal });
    made += texts.length;
  }
  return made;
}
