import { extname } from 'node:path';
import { UnreadableDocument, type NewDocument } from '../document.js';
import { decodeText } from './decode.js';
import { readHtml } from './html.js';
import { readMarkdown } from './markdown.js';
import { readPdf } from './pdf.js';
import { splitLong } from './split-long.js';

/** Beyond it a file is no document that a person wrote. JSONL is read line by line and may be of any size. */
export const maxDocumentBytes = 20 * 1_024 * 1_024;
const formats = ['.md', '.markdown', '.html', '.htm', '.txt', '.text', '.pdf'] as const;

/** One document from its bytes, by the end of its name. Throws UnreadableDocument with the reason. */
export async function readDocument(path: string, bytes: Uint8Array): Promise<NewDocument> {
  if (bytes.length > maxDocumentBytes)
    throw new UnreadableDocument(`it has ${Math.ceil(bytes.length / 1_048_576)} MB; the most is ${maxDocumentBytes / 1_048_576} MB`);
  const document = await byFormat(path, bytes);
  if (document.sections.length === 0) throw new UnreadableDocument('it holds no text');
  return document;
}

async function byFormat(path: string, bytes: Uint8Array): Promise<NewDocument> {
  switch (extname(path).toLowerCase()) {
    case '.md':
    case '.markdown':
      return readMarkdown(path, decodeText(bytes));
    case '.html':
    case '.htm':
      return readHtml(path, decodeText(bytes));
    case '.pdf':
      return readPdf(path, bytes);
    case '.txt':
    case '.text':
      return plainText(path, decodeText(bytes));
    default:
      throw new UnreadableDocument(`its format is not known; known are ${formats.join(', ')} and .jsonl`);
  }
}

export function plainText(path: string, text: string, title = path.replace(/^.*\//, '').replace(/\.[^.]+$/, '')): NewDocument {
  const content = text.trim();
  return { path, title, content, sections: content === '' ? [] : splitLong({ anchor: null, headingPath: [], title, content }) };
}
