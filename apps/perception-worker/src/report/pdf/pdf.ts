import type { Root } from 'mdast';
import type { Typeset } from '../fonts/typeset.js';
import { pagesOf } from './pages.js';
import { template } from './template.js';
import { compileTypst } from './typst.js';

/** Renders a report as a PDF. */
export async function renderPdf(title: string, tree: Root, { fonts, language }: Typeset): Promise<Uint8Array> {
  const data = { ...pagesOf(title, tree), families: fonts.map(({ family }) => family), lang: language };
  return compileTypst({
    fonts: fonts.flatMap(({ regular, bold }) => (bold ? [regular, bold] : [regular])),
    files: { '/main.typ': template, '/report.json': JSON.stringify(data) },
  });
}
