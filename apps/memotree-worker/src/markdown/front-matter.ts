// Reads and writes the YAML front matter of Markdown files. Fields that we do not know stay in the text unchanged.
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { isJsonObject, isStorableText, memotreeLimits as limits, nodeIdShape, nodeTypes, relationTypes } from '#lib/contracts';

/** YAML can spell U+0000 and halves of surrogate pairs, which Postgres refuses. */
const words = z.string().refine(isStorableText);
const tag = z.coerce.string().refine(isStorableText);

const id = z.string().regex(nodeIdShape);
const known = {
  id,
  title: words.max(limits.titleChars),
  type: z.enum(nodeTypes),
  tags: z.union([words.transform((text) => text.split(/[,\s]+/)), z.array(tag)]),
  /** Position among its siblings, from 1; written only where the file names do not give the order. */
  order: z.int().min(1),
  summary: words,
  brief: words,
  relations: z.array(z.object({ id, type: z.enum(relationTypes), target: id, description: words.max(limits.relationChars).default('') })),
};
/** One name, or a list of names. */
const names = z.union([z.string().transform((name) => [name]), z.array(z.coerce.string())]);
type Known = { readonly [Key in keyof typeof known]?: z.output<(typeof known)[Key]> };

export interface Page {
  readonly own: Known;
  /** Further names that links may use, as in Obsidian. They also stay in the text. */
  readonly aliases: readonly string[];
  /** The text, with the front matter that we do not know. */
  readonly body: string;
}

/** The front matter at the beginning of a text; group 1 is the YAML. */
const block = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/** Splits a file into the fields that we know and the rest. Front matter that is not a YAML object counts as text. */
export function readPage(text: string): Page {
  const [whole = '', yaml = ''] = block.exec(text) ?? [];
  const fields = whole === '' ? null : parsed(yaml);
  if (!fields) return { own: {}, aliases: [], body: text };
  const own: Record<string, unknown> = {};
  const others: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    const schema = isKnown(key) ? known[key].safeParse(value) : null;
    if (schema?.success) own[key] = schema.data;
    else others[key] = value;
  }
  const rest = text.slice(whole.length);
  const aliases = names.safeParse(others['aliases'] ?? others['alias']).data ?? [];
  return { own, aliases, body: Object.keys(others).length > 0 ? `---\n${stringify(others)}---\n${rest}` : rest };
}

export interface PageParts extends Pick<Page, 'own' | 'body'> {}

/** The inverse of `readPage`: our fields first, then the front matter of the body, then the text. */
export function writePage({ own, body }: PageParts): string {
  const [whole = '', yaml = ''] = block.exec(body) ?? [];
  const others = whole === '' ? null : parsed(yaml);
  const fields = { ...own, ...others };
  return `---\n${stringify(fields)}---\n${others ? body.slice(whole.length) : body}`;
}

function isKnown(key: string): key is keyof typeof known {
  return Object.hasOwn(known, key);
}

function parsed(yaml: string): Record<string, unknown> | null {
  try {
    const value: unknown = parse(yaml);
    return isJsonObject(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
