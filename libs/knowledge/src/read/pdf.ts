import { extractText, getDocumentProxy } from 'unpdf';
import { UnreadableDocument, type NewDocument } from '../document.js';
import { splitLong } from './split-long.js';

/** Reads a PDF that contains text. Each page is a section. Throws UnreadableDocument for broken, encrypted and scanned files. */
export async function readPdf(path: string, bytes: Uint8Array): Promise<NewDocument> {
  const text = await pagesOf(bytes);
  const title = path.replace(/^.*\//, '').replace(/\.pdf$/i, '');
  const pages = text
    .map((page, index) => ({ content: page.replaceAll('\0', '').trim(), number: index + 1 }))
    .filter(({ content }) => content !== '');
  if (pages.length === 0) throw new UnreadableDocument('it holds no text: perhaps pictures of pages');
  return {
    path,
    title,
    content: pages.map(({ content }) => content).join('\n\n'),
    sections: pages.flatMap(({ content, number }) =>
      splitLong({ anchor: `page=${number}`, headingPath: [title], title: `${title}, p. ${number}`, content }),
    ),
  };
}

async function pagesOf(bytes: Uint8Array): Promise<readonly string[]> {
  try {
    // A copy, because the reader takes ownership of the buffer.
    const proxy = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
    return (await extractText(proxy, { mergePages: false })).text;
  } catch (error) {
    throw new UnreadableDocument(`it is no PDF that can be read: ${error instanceof Error ? error.message : 'broken'}`);
  }
}
