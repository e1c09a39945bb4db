import { describe, expect, test } from '@jest/globals';
import { UnreadableDocument } from '../document.js';
import { readDocument } from './read-document.js';
import { readPdf } from './pdf.js';

/** A PDF with these lines, a page each. */
function pdf(...pages: readonly string[]): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, n) => `${4 + 2 * n} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, n) => {
      const stream = text === '' ? '' : `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * n} 0 R >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, n) => {
    const offset = file.length;
    file += `${n + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF`;
  return Buffer.from(`${file}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`, 'latin1');
}

describe('a PDF', () => {
  test('has a section for each page that says something, with its number', async () => {
    const document = await readDocument('folder/Guide.PDF', pdf('Salt raises pressure.', '', 'Iron is in meat.'));
    expect(document).toMatchObject({ title: 'Guide', content: 'Salt raises pressure.\n\nIron is in meat.' });
    expect(document.sections).toEqual([
      { anchor: 'page=1', headingPath: ['Guide'], title: 'Guide, p. 1', content: 'Salt raises pressure.' },
      { anchor: 'page=3', headingPath: ['Guide'], title: 'Guide, p. 3', content: 'Iron is in meat.' },
    ]);
  });

  test('of pictures alone is refused, and why is said', async () => {
    await expect(readPdf('scan.pdf', pdf('', ''))).rejects.toThrow('it holds no text: perhaps pictures of pages');
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['another format', Buffer.from('PK\u0003\u0004 a zip')],
    ['a header alone', Buffer.from('%PDF-1.7\n')],
    ['noise', Buffer.from(Array.from({ length: 500 }, (_, n) => (n * 7919) % 256))],
  ])('that is %s is refused', async (_what, bytes) => {
    await expect(readPdf('a.pdf', bytes)).rejects.toThrow(UnreadableDocument);
  });

  test('that was cut off is read as far as it goes, or refused', async () => {
    const whole = pdf('Salt raises pressure.');
    for (const share of [0.3, 0.6, 0.9, 0.99]) {
      const read = readPdf('a.pdf', whole.subarray(0, Math.floor(whole.length * share)));
      await read.then(
        ({ content }) => expect('Salt raises pressure.').toContain(content),
        (error: unknown) => expect(error).toBeInstanceOf(UnreadableDocument),
      );
    }
  });

  test('leaves its bytes to the one who gave them', async () => {
    const bytes = pdf('Salt.');
    const before = Buffer.from(bytes);
    await readPdf('a.pdf', bytes);
    expect(bytes.equals(before)).toBe(true);
  });
});
