import type { BlockContent, DefinitionContent, List, Root, RootContent, Table } from 'mdast';
import pdfmake, { type Content } from 'pdfmake';
import { runsOf, type InlineRun } from './inline.js';
import { fontFamily, type ReportFonts } from './report.js';

type Block = RootContent | BlockContent | DefinitionContent;

const headingSizes = [20, 17, 15, 13, 12, 11] as const;
const grey = '#f6f8fa';
const line = '#d0d7de';
/** Width of the text on A4 without its margins, in points. */
const textWidth = 595 - 2 * 50;

/**
 * Renders a report as a PDF. pdfmake may neither fetch URLs nor read files.
 * @param onShare receives the share of the pages that is written, 0–1
 */
export async function renderPdf(
  { title, tree, fonts }: { readonly title: string; readonly tree: Root; readonly fonts: ReportFonts },
  onShare: (share: number) => void,
): Promise<Buffer> {
  pdfmake.virtualfs.writeFileSync('regular', fonts.regular);
  pdfmake.virtualfs.writeFileSync('bold', fonts.bold);
  // Chinese fonts have no italics, so emphasis has a colour of its own.
  pdfmake.setFonts({ [fontFamily]: { normal: 'regular', bold: 'bold', italics: 'regular', bolditalics: 'bold' } });
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy(() => false);
  pdfmake.setProgressCallback(onShare);
  return pdfmake
    .createPdf({
      info: { title },
      pageSize: 'A4',
      pageMargins: [50, 50, 50, 60],
      defaultStyle: { font: fontFamily, fontSize: 10.5, lineHeight: 1.3 },
      footer: (page, pages) => ({ text: `${page} / ${pages}`, alignment: 'center', fontSize: 9, color: '#59636e', margin: [0, 20, 0, 0] }),
      content: [{ text: title, fontSize: 24, bold: true, margin: [0, 0, 0, 12] }, ...tree.children.map(block)],
    })
    .getBuffer();
}

function block(node: Block): Content {
  switch (node.type) {
    case 'heading':
      return { text: texts(runsOf(node.children)), fontSize: headingSizes[node.depth - 1] ?? 11, bold: true, margin: [0, 8, 0, 4] };
    case 'paragraph':
      return { text: texts(runsOf(node.children)), margin: [0, 0, 0, 6] };
    case 'blockquote':
      return {
        table: { widths: ['*'], body: [[{ stack: node.children.map(block), color: '#59636e' }]] },
        layout: { hLineWidth: () => 0, vLineWidth: (at) => (at === 0 ? 3 : 0), vLineColor: () => line, paddingLeft: () => 8 },
        margin: [0, 0, 0, 6],
      };
    case 'list':
      return list(node);
    case 'code':
      return {
        table: { widths: ['*'], body: [[{ text: node.value, fontSize: 9, preserveLeadingSpaces: true, fillColor: grey }]] },
        layout: 'noBorders',
        margin: [0, 0, 0, 6],
      };
    case 'table':
      return table(node);
    case 'thematicBreak':
      return { canvas: [{ type: 'line', x1: 0, y1: 4, x2: textWidth, y2: 4, lineWidth: 0.7, lineColor: line }], margin: [0, 4, 0, 8] };
    case 'footnoteDefinition':
      return { columns: [{ width: 30, text: `[${node.label ?? node.identifier}]` }, { stack: node.children.map(block) }], fontSize: 9 };
    case 'text':
      return { text: node.value, margin: [0, 0, 0, 6] };
    default:
      return { text: '' };
  }
}

/** A list; tasks have their mark in front. */
function list(node: List): Content {
  const items = node.children.map((item): Content => {
    const mark: Content[] = typeof item.checked === 'boolean' ? [{ text: item.checked ? '[x]' : '[ ]' }] : [];
    return { stack: [...mark, ...item.children.map(block)] };
  });
  return node.ordered ? { ol: items, start: node.start ?? 1, margin: [0, 0, 0, 6] } : { ul: items, margin: [0, 0, 0, 6] };
}

/** A table with one header row, repeated on each page. Rows that are too short are filled with empty cells. */
function table({ children, align }: Table): Content {
  const width = Math.max(1, ...children.map((row) => row.children.length));
  const body = children.map((row, rowIndex) =>
    Array.from({ length: width }, (_, index): Content => {
      const cell = row.children[index];
      return {
        text: cell ? texts(runsOf(cell.children)) : '',
        bold: rowIndex === 0,
        alignment: align?.[index] ?? 'left',
        ...(rowIndex === 0 && { fillColor: grey }),
      };
    }),
  );
  return {
    table: { headerRows: 1, widths: Array.from({ length: width }, () => '*'), body, dontBreakRows: true },
    layout: { hLineColor: () => line, vLineColor: () => line, hLineWidth: () => 0.7, vLineWidth: () => 0.7 },
    margin: [0, 2, 0, 8],
  };
}

function texts(runs: readonly InlineRun[]): Content[] {
  return runs.map(({ text, bold, strike, code, emphasis, raised, link }) => ({
    text,
    ...(bold && { bold }),
    ...(strike && { decoration: 'lineThrough' as const }),
    ...(code && { background: grey }),
    ...(emphasis && { color: '#0b5394' }),
    ...(raised && { sup: true }),
    ...(link && { link, color: '#0969da', decoration: 'underline' as const }),
  }));
}
