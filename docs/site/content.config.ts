import { docsSchema } from '@astrojs/starlight/schema';
import { defineCollection } from 'astro:content';
import { glob } from 'astro/loaders';

export const collections = {
  // Written by scripts/docs, in the languages of their folders.
  docs: defineCollection({
    loader: glob({
      base: '../../dist/docs-pages/pages',
      pattern: '**/*.md',
      generateId: ({ entry }) => entry.replace(/(^|\/)index\.md$|\.md$/, '') || 'index',
    }),
    schema: docsSchema(),
  }),
};
