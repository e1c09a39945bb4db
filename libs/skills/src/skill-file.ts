// SKILL.md → a skill. Two front matters are read: that of the VibeLife specification and that of agentskills.io.
import { parse } from 'yaml';
import { z } from 'zod';
import { estimateTokens } from '#lib/contracts';

/** A malformed SKILL.md. The message names the field and says what would be right. */
class SkillError extends Error {
  override readonly name = 'SkillError';
}

/**
 * The content of SKILL.md. A model sees skills in three levels: the description of all, the body of those in use, and other files of the
 * folder when it reads them.
 */
export interface SkillText {
  readonly name: string;
  /** What the model chooses by. */
  readonly description: string;
  readonly version: string | null;
  readonly author: string | null;
  /** Skills that are used with it. */
  readonly requires: readonly string[];
  /** Tools that the model may call while the skill is in use, besides those that it always has; with `*` for any characters. */
  readonly tools: readonly string[];
  /** Collections that `search_knowledge` looks in while the skill is in use. */
  readonly collections: readonly string[];
  /** Instructions in Markdown. */
  readonly body: string;
  /** Of the body, by `estimateTokens`. */
  readonly tokens: number;
}

/** The open standard's limit. The lint holds our own skills to tighter budgets. */
const maxBodyTokens = 5_000;
const reserved = new Set(['system', 'admin']);

/** A YAML list, or names separated by spaces or commas as the open standard writes them. */
const names = z
  .union([z.array(z.string()), z.string().transform((text) => text.split(/[\s,]+/).filter(Boolean))])
  .transform((list) => [...new Set(list)]);

const frontMatter = z.looseObject({
  name: z
    .string()
    .max(64, 'must have at most 64 characters')
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters and digits, joined by single hyphens'),
  description: z.string().trim().min(1, 'must say what the skill is for').max(1_024, 'must have at most 1,024 characters'),
  version: z.coerce.string().optional(),
  author: z.string().optional(),
  requires: names.default([]),
  tools: names.optional(),
  'allowed-tools': names.optional(),
  collections: names.optional(),
  metadata: z.looseObject({ version: z.coerce.string().optional(), author: z.string().optional() }).optional(),
});

/** @param folder name of the folder, which must be the skill's name. Throws SkillError. */
export function parseSkill(text: string, folder: string): SkillText {
  const [, head, rest] = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text) ?? [];
  if (head === undefined) throw new SkillError('SKILL.md must begin with front matter between two lines of ---');
  const parsed = frontMatter.safeParse(yamlOf(head));
  if (!parsed.success)
    throw new SkillError(parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'front matter'}: ${message}`).join('; '));
  const { name, description, version, author, requires, metadata, collections, ...fields } = parsed.data;
  if (name !== folder) throw new SkillError(`name: must be the name of its folder, "${folder}"`);
  if (reserved.has(name)) throw new SkillError(`name: "${name}" is reserved`);
  const body = (rest ?? '').trim();
  if (body === '') throw new SkillError('SKILL.md has no instructions below its front matter');
  const tokens = estimateTokens(body);
  if (tokens > maxBodyTokens)
    throw new SkillError(`the instructions have ${tokens} tokens, more than ${maxBodyTokens}: move parts to files`);
  return {
    name,
    description,
    version: version ?? metadata?.version ?? null,
    author: author ?? metadata?.author ?? null,
    requires,
    tools: fields.tools ?? fields['allowed-tools'] ?? [],
    collections: collections ?? [name],
    body,
    tokens,
  };
}

function yamlOf(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new SkillError(`front matter: not YAML (${error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unreadable'})`);
  }
}
