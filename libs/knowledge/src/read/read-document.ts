import { extname } from 'node:path';
import { UnreadableDocument, type NewDocument } from '../document.js';
import { decodeText } from './decode.js';
import { readHtml } from './html.js';
import { readMarkdown } from './markdown.js';
import { readPdf } from './pdf.js';
import { splitLong } from './split-long.js';

/**
 * Maximum size of a document in bytes. JSONL files may be larger, since they are read line by line.
 * @limit texts and files: bytes of a document of the knowledge base; it is not imported, and told
 */
export const maxDocumentBytes = 20 * 1_024 * 1_024;
const formats = ['.md', '.markdown', '.html', '.htm', '.txt', '.text', '.pdf'] as const;

/** Reads a document. The extension of its path decides the format. Throws UnreadableDocument with the reason. */
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

/** A document of one section, cut into parts if it is long. @param title default: the file name without its extension */
export function plainText(path: string, text: string, title = path.replace(/^.*\//, '').replace(/\.[^.]+$/, '')): NewDocument {
  const content = text.trim();
  return { path, title, content, sections: content === '' ? [] : splitLong({ anchor: null, headingPath: [], title, content }) };
}
