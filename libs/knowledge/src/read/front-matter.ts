import { parse } from 'yaml';
import { z } from 'zod';
import { UnreadableDocument } from '../document.js';

const list = z.union([z.array(z.coerce.string()), z.string().transform((text) => text.split(',').map((item) => item.trim()))]);
const word = z.coerce.string().trim().min(1);

/** The metadata of a document. Unknown keys are ignored, since other tools have theirs. */
export const documentFacts = z.object({
  title: word.optional(),
  title_en: word.optional(),
  domain: word.optional(),
  type: z.enum(['public', 'internal']).optional(),
  tags: list.optional(),
  source_url: word.optional(),
  repo_path: word.optional(),
  source: word.optional(),
  updated: z
    .union([z.date(), z.string()])
    .transform((value, context) => {
      const date = new Date(value);
      // Only years of four digits: Postgres refuses the others as JavaScript writes them.
      if (date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9_999) return date;
      context.addIssue({ code: 'custom', message: 'is no date (YYYY-MM-DD)' });
      return z.NEVER;
    })
    .optional(),
});
export type DocumentFacts = z.output<typeof documentFacts>;

/** Parses the YAML of a front matter. Throws UnreadableDocument, which names the wrong field. */
export function readFrontMatter(yaml: string): DocumentFacts {
  let value: unknown;
  try {
    value = parse(yaml) ?? {};
  } catch (error) {
    throw new UnreadableDocument(`its front matter is no YAML: ${error instanceof Error ? error.message.split('\n')[0] : 'unreadable'}`);
  }
  return readFacts(value, 'front matter');
}

export function readFacts(value: unknown, where: string): DocumentFacts {
  const parsed = documentFacts.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UnreadableDocument(`its ${where} is wrong at ${issue?.path.join('.') || 'the top'}: ${issue?.message}`);
}
