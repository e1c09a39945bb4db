// What outside servers of the Model Context Protocol have besides tools. They are strangers: a field that only describes is left out where it
// is not what it should be.
import { z } from 'zod';

const longestDescription = 4_096;
const longestUri = 4_096;
const longestName = 512;

const maybe = <Kind extends z.ZodType>(kind: Kind) => kind.optional().catch(undefined);
const text = maybe(z.string().transform((given) => given.slice(0, longestDescription).toWellFormed()));
const name = z.string().min(1).max(longestName);
const uri = z.string().min(1).max(longestUri);
export const outsideMimeType = z
  .string()
  .max(255)
  .regex(/^[\w.+-]+\/[\w.+*-]+(\s*;[\x20-\x7e]*)?$/);

const icon = z.object({
  src: z.string(),
  mimeType: maybe(outsideMimeType),
  sizes: maybe(z.array(z.string())),
  theme: maybe(z.enum(['light', 'dark'])),
});
const annotations = z.object({
  audience: maybe(z.array(z.enum(['user', 'assistant']))),
  priority: maybe(z.number().min(0).max(1)),
  lastModified: maybe(z.string()),
});
const described = { title: text, description: text, icons: maybe(z.array(icon)), _meta: maybe(z.record(z.string(), z.unknown())) };
const ofResource = { ...described, mimeType: maybe(outsideMimeType), annotations: maybe(annotations) };

/** A resource in the list of its server. One without a name is called by its address. */
export const outsideResource = z
  .object({ ...ofResource, uri, name: maybe(name), size: maybe(z.int().min(0)) })
  .transform((resource) => ({ ...resource, name: resource.name ?? resource.uri }));

/** Addresses of resources that are in no list. */
const outsideTemplate = z
  .object({ ...ofResource, uriTemplate: uri, name: maybe(name) })
  .transform((template) => ({ ...template, name: template.name ?? template.uriTemplate }));

const outsidePrompt = z.object({
  ...described,
  name,
  arguments: maybe(z.array(z.object({ name, title: text, description: text, required: maybe(z.boolean()) }))),
});

/** The lists of one server, as far as they could be read. */
export const outsideOffers = z.object({
  resources: z.array(outsideResource),
  templates: z.array(outsideTemplate),
  prompts: z.array(outsidePrompt),
  /** Whether it completes arguments. */
  completes: z.boolean(),
  /** What could not be read, or was more than is kept, a sentence each. */
  faults: z.array(z.string()),
});
export type OutsideOffers = Readonly<z.output<typeof outsideOffers>>;

const named = z.strictObject({ name: z.string().describe('Of the argument.'), value: z.string().describe('Its value, or the beginning.') });

/** What one of these servers is asked for, in its own names. */
export const outsideQuestion = z.strictObject({
  question: z
    .enum(['resource', 'prompt', 'prompt_completion', 'template_completion'])
    .describe('The contents of a resource, the messages of a prompt, or values for an argument of a prompt or a template.'),
  of: z.string().describe('The address of the resource or template, or the name of the prompt.'),
  values: z.array(named).default([]).describe('Arguments of the prompt, or of the template as far as they are known.'),
  completes: named.nullable().default(null).describe('The argument to complete.'),
});
export type OutsideQuestion = Readonly<z.output<typeof outsideQuestion>>;

/** Servers whose lists one call reads. */
export const mostServersListed = 4;

/** An approved server. */
export const approvedServer = z.strictObject({
  tenant: z.string().nullable().describe('Whose it is; null for one that is for all tenants.'),
  server: z.string().describe('Its name.'),
  approval: z.int().min(1).describe('Number of its approval, from 1.'),
});
export type ApprovedServer = Readonly<z.output<typeof approvedServer>>;
