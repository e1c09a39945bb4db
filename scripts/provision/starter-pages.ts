// The files of the starter knowledge.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '#lib/command-line';

export const starterCollections = ['health', 'stripe-onboarding', 'bazi', 'zodiac'];

/** The hash of all pages, by which a database that has them is recognised, on whatever machine it was made. */
export function starterKnowledgeDigest(): string {
  const digest = createHash('sha256');
  for (const file of starterCollections.flatMap((collection) => pagesOf(collection).files))
    digest.update(relative(root, file)).update(readFileSync(file));
  return digest.digest('hex');
}

export function pagesOf(collection: string): { readonly base: string; readonly files: readonly string[] } {
  const base = join(root, 'knowledge', collection);
  const files = globSync('**/*.md', { cwd: base }).toSorted();
  return { base, files: files.map((file) => join(base, file)) };
}
