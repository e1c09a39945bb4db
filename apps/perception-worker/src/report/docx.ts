import {
  AlignmentType,
  BorderStyle,
  Document,
  ExternalHyperlink,
  HeadingLevel,
  LevelFormat,
  Packer,
  Paragraph,
  ShadingType,
  Table,
  TableCell,
  TableRow,
  TextRun,
  WidthType,
  type ParagraphChild,
} from 'docx';
import type { BlockContent, DefinitionContent, List, Root, RootContent, Table as MarkdownTable } from 'mdast';
import { runsOf, type InlineRun } from './inline.js';
import { fontFamily, type ReportFonts } from './report.js';

type Block = RootContent | BlockContent | DefinitionContent;
type Written = Paragraph | Table;

const headings = [
  HeadingLevel.HEADING_1,
  HeadingLevel.HEADING_2,
  HeadingLevel.HEADING_3,
  HeadingLevel.HEADING_4,
  HeadingLevel.HEADING_5,
  HeadingLevel.HEADING_6,
] as const;
const grey = { type: ShadingType.CLEAR, fill: 'F6F8FA' } as const;
const aligned = { left: AlignmentType.LEFT, center: AlignmentType.CENTER, right: AlignmentType.RIGHT } as const;
/** Indentation for each level of a list or quotation, in twentieths of a point. */
const indentStep = 500;
/** The deepest list level of Word, counted from 0. */
const maxLevel = 8;

/** Renders a report as a Word document with embedded fonts. @returns the file */
export async function renderDocx(title: string, tree: Root, fonts: ReportFonts): Promise<Buffer> {
  // Each ordered list starts at its own number, so each has its own numbering definition.
  const numberings: { readonly reference: string; readonly start: number }[] = [];
  const children = tree.children.flatMap((node) => new Writer(numberings).block(node, 0));
  const document = new Document({
    title,
    fonts: [{ name: fontFamily, data: fonts.regular, bold: fonts.bold }],
    styles: { default: { document: { run: { font: fontFamily, size: 21 }, paragraph: { spacing: { after: 120 } } } } },
    numbering: {
      config: numberings.map(({ reference, start }) => ({
        reference,
        levels: Array.from({ length: maxLevel + 1 }, (_, level) => ({
          level,
          start,
          format: LevelFormat.DECIMAL,
          text: `%${level + 1}.`,
          style: { paragraph: { indent: { left: (level + 1) * indentStep, hanging: 360 } } },
        })),
      })),
    },
    sections: [{ children: [new Paragraph({ text: title, heading: HeadingLevel.TITLE }), ...children] }],
  });
  return Packer.toBuffer(document);
}

/** Writes blocks as paragraphs and tables, and collects the numberings of ordered lists. */
class Writer {
  readonly #numberings: { readonly reference: string; readonly start: number }[];

  constructor(numberings: { readonly reference: string; readonly start: number }[]) {
    this.#numberings = numberings;
  }

  block(node: Block, depth: number): Written[] {
    const indent = depth > 0 ? { indent: { left: depth * indentStep } } : {};
    switch (node.type) {
      case 'heading':
        return [new Paragraph({ children: children(runsOf(node.children)), heading: headings[node.depth - 1] ?? HeadingLevel.HEADING_6 })];
      case 'paragraph':
        return [new Paragraph({ children: children(runsOf(node.children)), ...indent })];
      case 'blockquote':
        return node.children.flatMap((child) => this.block(child, depth + 1));
      case 'list':
        return this.#list(node, depth);
      case 'code':
        return node.value
          .split('\n')
          .map((text) => new Paragraph({ children: [new TextRun({ text, size: 18 })], shading: grey, spacing: { after: 0 }, ...indent }));
      case 'table':
        return [table(node), new Paragraph({})];
      case 'thematicBreak':
        return [new Paragraph({ border: { bottom: { style: BorderStyle.SINGLE, size: 6, color: 'D0D7DE' } } })];
      case 'footnoteDefinition':
        return [
          new Paragraph({ children: [new TextRun({ text: `[${node.label ?? node.identifier}]`, bold: true })] }),
          ...node.children.flatMap((child) => this.block(child, depth + 1)),
        ];
      case 'text':
        return [new Paragraph({ children: [new TextRun(node.value)], ...indent })];
      default:
        return [];
    }
  }

  #list(node: List, depth: number): Written[] {
    const reference = `list-${this.#numberings.length}`;
    if (node.ordered) this.#numberings.push({ reference, start: node.start ?? 1 });
    const level = Math.min(depth, maxLevel);
    return node.children.flatMap((item) => {
      const [first, ...rest] = item.children;
      const box = typeof item.checked === 'boolean' ? [{ text: item.checked ? '[x] ' : '[ ] ' }] : [];
      const head = first?.type === 'paragraph' ? runsOf(first.children) : [];
      const mark = node.ordered ? { numbering: { reference, level } } : { bullet: { level } };
      const others = first?.type === 'paragraph' || first === undefined ? rest : [first, ...rest];
      return [
        new Paragraph({ children: children([...box, ...head]), ...mark }),
        ...others.flatMap((child) => this.block(child, depth + 1)),
      ];
    });
  }
}

/** A table with one header row. Rows that are too short are filled with empty cells. */
function table({ children: rows, align }: MarkdownTable): Table {
  const width = Math.max(1, ...rows.map((row) => row.children.length));
  return new Table({
    width: { size: 100, type: WidthType.PERCENTAGE },
    rows: rows.map(
      (row, rowIndex) =>
        new TableRow({
          tableHeader: rowIndex === 0,
          children: Array.from({ length: width }, (_, index) => {
            const cell = row.children[index];
            const runs = cell ? runsOf(cell.children, rowIndex === 0 ? { bold: true } : {}) : [];
            return new TableCell({
              children: [new Paragraph({ children: children(runs), alignment: aligned[align?.[index] ?? 'left'] })],
              ...(rowIndex === 0 && { shading: grey }),
            });
          }),
        }),
    ),
  });
}

/** The runs as Word's text elements. */
function children(runs: readonly InlineRun[]): ParagraphChild[] {
  return runs.map((run) => {
    if (run.text === '\n') return new TextRun({ break: 1 });
    const text = new TextRun({
      text: run.text,
      ...(run.bold && { bold: true }),
      ...(run.strike && { strike: true }),
      ...(run.emphasis && { italics: true }),
      ...(run.raised && { superScript: true }),
      ...(run.code && { shading: grey }),
      ...(run.link && { color: '0969DA', underline: {} }),
    });
    return run.link ? new ExternalHyperlink({ link: run.link, children: [text] }) : text;
  });
}
