// Fields that several MemoTree operations share, in parameters and answers.
import { z } from 'zod';
import { sensitive } from '../../marks.js';
import { isStorableText } from '../../storable.js';
import { freshnesses, lodLevels, memotreeLimits as limits, nodeTypes, relationTypes, searchTypes, updateModes } from './vocabulary.js';

/**
 * An enum that also accepts its words in any case, and their ordinals as numbers or digits (C-65). Any other value is refused.
 * @param aliases further spellings, in lower case, with the word that each means
 */
export function looseEnum<const Words extends readonly [string, ...string[]]>(
  words: Words,
  aliases: Readonly<Record<string, Words[number]>> = {},
) {
  return z.preprocess((value) => {
    if (typeof value === 'number') return words[value] ?? value;
    if (typeof value !== 'string') return value;
    const text = value.trim().toLowerCase();
    return words.find((one) => one.toLowerCase() === text) ?? aliases[text] ?? (/^\d$/.test(text) ? (words[Number(text)] ?? value) : value);
  }, z.enum(words));
}

/** `Gist` and `Full` are the names in later versions of the upstream project. */
export const level = () => looseEnum(lodLevels, { gist: 'Brief', full: 'Detail' });
export const nodeType = () => looseEnum(nodeTypes);
export const relationType = () => looseEnum(relationTypes);
export const updateMode = () => looseEnum(updateModes);
export const searchType = () => looseEnum(searchTypes);

export const notStorable = { error: 'must be text: without the character U+0000 and without halves of surrogate pairs' };

/** A text of at most so many code points. `String.length` would count an emoji twice. */
export function text(maxChars: number) {
  return z
    .string()
    .refine((value) => value.length <= maxChars || (value.length <= 2 * maxChars && Array.from(value).length <= maxChars), {
      error: `must have at most ${maxChars} characters`,
    })
    .refine(isStorableText, notStorable);
}

export const nodeId = () => z.string().min(1).max(limits.idChars).refine(isStorableText, notStorable);
export const title = () => sensitive(text(limits.titleChars)).describe(`Title, at most ${limits.titleChars} characters.`);
export const content = () => sensitive(text(limits.contentChars)).describe('Markdown. `[[id]]` links to another node.');
export const tags = () =>
  z
    .array(z.string().trim().min(1).max(limits.tagChars).refine(isStorableText, notStorable))
    .transform((given) => [...new Set(given)])
    .refine((given) => given.length <= limits.tags, { error: `must have at most ${limits.tags} items` });
export const commitMessage = () =>
  sensitive(text(limits.messageChars)).default('').describe('Kept with the staged change; composes the message of a commit without one.');

/** The parameter that every operation has. */
export const workspaceField = {
  workspace: z
    .string()
    .regex(/^~?[\p{L}\p{N}_.:-]{1,100}$/u, 'must have 1–100 letters, digits or _ . : -')
    .optional()
    .describe('Name of a workspace of your tenant, shared by its users. Absent: your own, which nobody else reaches.'),
};

export const viewName = () =>
  z
    .string()
    .regex(/^[\p{L}\p{N}_.:-]{1,100}$/u, 'must have 1–100 letters, digits or _ . : -')
    .default('default')
    .describe('View that keeps what is unfolded, by session.');

export const branchName = () => z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N}_./-]{0,99}$/u, 'must have 1–100 letters, digits or _ . / -');
export const commitRef = () => z.string().min(1).max(100).refine(isStorableText, notStorable);

// --- Fields of answers ---------------------------------------------------------------------------------------------------

export const relationOut = z.object({
  relationId: z.string().nullable().describe('Null for a link found in the content.'),
  type: z.enum(relationTypes),
  sourceId: z.string(),
  targetId: z.string(),
  description: sensitive(z.string()),
});

export const childOut = z.object({
  nodeId: z.string(),
  title: sensitive(z.string()),
  type: z.enum(nodeTypes),
  level: z.enum(lodLevels).describe('As it stands in the view.'),
  childCount: z.int(),
});

export const nodeFactsOut = {
  nodeId: z.string(),
  title: sensitive(z.string()),
  type: z.enum(nodeTypes),
  tags: z.array(z.string()),
  parentId: z.string().nullable(),
};

export const freshnessOut = z.enum(freshnesses).describe('Of the summary: fresh, stale, pending or none.');

const changeKinds = ['Added', 'Modified', 'Deleted', 'Moved'] as const;
export const changeOut = z.object({
  nodeId: z.string(),
  change: z.enum(changeKinds),
  title: sensitive(z.string()),
  fields: z.array(z.string()).describe('What differs: title, type, tags, content, brief, summary, parentId, position, relations.'),
});

export const conflictOut = z.object({
  nodeId: z.string(),
  field: z.string(),
  base: sensitive(z.string().nullable()),
  ours: sensitive(z.string().nullable()),
  theirs: sensitive(z.string().nullable()),
});
