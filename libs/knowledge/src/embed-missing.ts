import type { Sql, VectorIndex } from '#lib/retrieval';
import { embeddedText } from './import/units.js';
import { loadSections } from './sections.js';
import { spaceOf } from './spaces.js';

const batch = 64;
const ours = spaceOf(0).replace('0', '');

/**
 * Computes all missing vectors of a provider, oldest units first, until none is missing or the signal fires. Search works meanwhile, by
 * keywords and the existing vectors. Several processes may run it at once; they repeat work but do no harm.
 * @returns the number of vectors made
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
