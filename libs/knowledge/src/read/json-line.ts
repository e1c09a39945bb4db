import { z } from 'zod';
import { UnreadableDocument, type NewDocument } from '../document.js';
import { documentFacts, readFacts } from './front-matter.js';
import { plainText } from './read-document.js';

/** As many characters as the path of a document that is sent in a call. */
const maxName = 500;

const line = documentFacts.extend({
  /** The id in files of the BEIR benchmark. */
  _id: z.coerce.string().max(maxName).optional(),
  id: z.coerce.string().max(maxName).optional(),
  path: z.string().max(maxName).optional(),
  url: z.string().optional(),
  text: z.string().optional(),
  content: z.string().optional(),
});

/**
 * One line of a JSONL file: `{ "id" | "_id" | "path", "title", "text" | "content", "url", …front matter }`.
 * Throws UnreadableDocument for any other line.
 * @param place path of the file and number of the line; the document's path when the line has no id
 */
export function readJsonLine(place: string, json: string): NewDocument {
  let value: unknown;
  try {
    // Also without a byte order mark, which is white space here.
    value = JSON.parse(json.trim());
  } catch {
    throw new UnreadableDocument('the line is no JSON');
  }
  try {
    return documentOf(place, value);
  } catch (error) {
    throw error instanceof UnreadableDocument ? new UnreadableDocument(error.message, nameIn(value)) : error;
  }
}

const names = z.looseObject({
  path: line.shape.path.catch(undefined),
  id: line.shape.id.catch(undefined),
  _id: line.shape._id.catch(undefined),
});

function nameIn(value: unknown): string | undefined {
  const named = names.safeParse(value).data;
  return named?.path ?? named?.id ?? named?._id;
}

function documentOf(place: string, value: unknown): NewDocument {
  const facts = readFacts(value, 'line');
  const own = line.safeParse(value);
  if (!own.success) {
    const [issue] = own.error.issues;
    throw new UnreadableDocument(`the line is wrong at ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { _id, id, path, url, text, content } = own.data;
  const body = text ?? content;
  if (body === undefined) throw new UnreadableDocument('the line has no "text" and no "content"');
  const name = path ?? id ?? _id ?? place;
  return {
    ...plainText(name, body === '' && facts.title ? facts.title : body, facts.title ?? name),
    titleEn: facts.title_en,
    domain: facts.domain,
    type: facts.type,
    tags: facts.tags,
    sourceUrl: facts.source_url ?? url,
    repoPath: facts.repo_path,
    source: facts.source,
    updated: facts.updated,
  };
}
