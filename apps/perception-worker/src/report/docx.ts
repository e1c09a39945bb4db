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
  TableLayoutType,
  TableRow,
  TextRun,
  WidthType,
  type ILevelsOptions,
  type IParagraphOptions,
  type IRunOptions,
  type ParagraphChild,
} from 'docx';
import type { BlockContent, DefinitionContent, List, Root, RootContent, Table as MarkdownTable } from 'mdast';
import { isRightToLeft } from './direction.js';
import { graphemesOf } from './fonts/graphemes.js';
import type { Typeset } from './fonts/typeset.js';
import { runsOf, textOf, type InlineRun } from './inline.js';
import { columnWidths } from './column-widths.js';

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

/** Width of the text on A4 with the margins of Word, in twentieths of a point. */
const textWidth = 9_026;
const languages = { zh: 'zh-CN', ja: 'ja-JP', ko: 'ko-KR', en: 'en-US' } as const;

/** Renders a report as a Word document with embedded fonts. @returns the file */
export async function renderDocx(title: string, tree: Root, set: Typeset): Promise<Buffer> {
  const writer = new Writer(set);
  const body = [
    writer.paragraph([{ text: title }], { heading: HeadingLevel.TITLE }),
    ...tree.children.flatMap((node) => writer.block(node, 0)),
  ];
  const [main] = set.fonts;
  const document = new Document({
    title,
    fonts: set.fonts.map(({ family, regular, bold }) => ({ name: family, data: regular, ...(bold && { bold }) })),
    styles: {
      default: {
        document: {
          run: { font: main.family, size: 21, language: { value: languages[set.language], eastAsia: languages[set.language] } },
          paragraph: { spacing: { after: 120 } },
        },
      },
    },
    numbering: { config: writer.numberings.map(({ reference, start }) => ({ reference, levels: levelsFrom(start) })) },
    sections: [{ children: body }],
  });
  return Packer.toBuffer(document);
}

function levelsFrom(start: number): ILevelsOptions[] {
  return Array.from({ length: maxLevel + 1 }, (_, level) => ({
    level,
    start,
    format: LevelFormat.DECIMAL,
    text: `%${level + 1}.`,
    style: { paragraph: { indent: { left: (level + 1) * indentStep, hanging: 360 } } },
  }));
}

/** Writes blocks as paragraphs and tables, and collects the numberings of ordered lists. */
class Writer {
  readonly #set: Typeset;
  /** Each ordered list starts at its own number, so each has its own numbering definition. */
  readonly numberings: { readonly reference: string; readonly start: number }[] = [];

  constructor(set: Typeset) {
    this.#set = set;
  }

  block(node: Block, depth: number): Written[] {
    const indent = depth > 0 ? { indent: { left: Math.min(depth, maxLevel) * indentStep } } : {};
    switch (node.type) {
      case 'heading':
        return [this.paragraph(runsOf(node.children), { heading: headings[node.depth - 1] ?? HeadingLevel.HEADING_6, ...indent })];
      case 'paragraph':
        return [this.paragraph(runsOf(node.children), indent)];
      case 'blockquote':
        return node.children.flatMap((child) => this.block(child, depth + 1));
      case 'list':
        return this.#list(node, depth);
      case 'code':
        return node.value.split('\n').map(
          (text) =>
            new Paragraph({
              children: this.#texts([{ text: text.replaceAll('\t', '    ') }], { size: 18 }),
              shading: grey,
              spacing: { after: 0 },
              ...indent,
            }),
        );
      case 'table':
        return [this.#table(node), new Paragraph({})];
      case 'thematicBreak':
        return [new Paragraph({ border: { bottom: { style: BorderStyle.SINGLE, size: 6, color: 'D0D7DE' } } })];
      case 'footnoteDefinition':
        return [
          this.paragraph([{ text: `[${node.label ?? node.identifier}]`, bold: true }]),
          ...node.children.flatMap((child) => this.block(child, depth + 1)),
        ];
      case 'text':
        return [this.paragraph([{ text: node.value }], indent)];
      default:
        return [];
    }
  }

  /** A paragraph that runs as its first letter does. */
  paragraph(runs: readonly InlineRun[], options: IParagraphOptions = {}): Paragraph {
    return new Paragraph({ children: this.#texts(runs), ...options, ...(isRightToLeft(textOf(runs)) && { bidirectional: true }) });
  }

  #list(node: List, depth: number): Written[] {
    const reference = `list-${this.numberings.length}`;
    if (node.ordered) this.numberings.push({ reference, start: node.start ?? 1 });
    const level = Math.min(depth, maxLevel);
    return node.children.flatMap((item) => {
      const [first, ...rest] = item.children;
      const box = typeof item.checked === 'boolean' ? [{ text: item.checked ? '[x] ' : '[ ] ' }] : [];
      const head = first?.type === 'paragraph' ? runsOf(first.children) : [];
      const mark = node.ordered ? { numbering: { reference, level } } : { bullet: { level } };
      const others = first?.type === 'paragraph' || first === undefined ? rest : [first, ...rest];
      return [this.paragraph([...box, ...head], mark), ...others.flatMap((child) => this.block(child, depth + 1))];
    });
  }

  /** A table with one header row. Rows that are too short are filled with empty cells. Its columns are fixed: long words are broken. */
  #table({ children: rows, align }: MarkdownTable): Table {
    const cells = rows.map((row) => row.children.map((cell) => runsOf(cell.children)));
    const widths = columnWidths(cells.map((row) => row.map(textOf))).map((share) => Math.floor(share * textWidth));
    return new Table({
      width: { size: 100, type: WidthType.PERCENTAGE },
      layout: TableLayoutType.FIXED,
      columnWidths: widths,
      rows: cells.map(
        (row, rowIndex) =>
          new TableRow({
            tableHeader: rowIndex === 0,
            children: widths.map((size, index) => {
              const runs = (row[index] ?? []).map((run) => (rowIndex === 0 ? { ...run, bold: true } : run));
              return new TableCell({
                width: { size, type: WidthType.DXA },
                children: [this.paragraph(runs, { alignment: aligned[align?.[index] ?? 'left'] })],
                ...(rowIndex === 0 && { shading: grey }),
              });
            }),
          }),
      ),
    });
  }

  /** The runs as Word's text elements. */
  #texts(runs: readonly InlineRun[], style: IRunOptions = {}): ParagraphChild[] {
    return runs.flatMap((run): ParagraphChild[] => {
      if (run.text === '\n') return [new TextRun({ break: 1 })];
      const texts = this.#parts(run.text).map(
        ({ text, family }) =>
          new TextRun({
            text,
            ...style,
            ...(family !== undefined && { font: family }),
            ...(isRightToLeft(text) && { rightToLeft: true }),
            ...(run.bold && { bold: true, boldComplexScript: true }),
            ...(run.strike && { strike: true }),
            ...(run.emphasis && { italics: true }),
            ...(run.raised && { superScript: true }),
            ...(run.code && { shading: grey }),
            ...(run.link && { color: '0969DA', underline: {} }),
          }),
      );
      return run.link ? [new ExternalHyperlink({ link: run.link, children: texts })] : texts;
    });
  }

  /** Cuts a text where its font changes: Word looks for a character in the font of its run alone. The main font is not named. */
  #parts(text: string): { text: string; readonly family?: string }[] {
    const [main] = this.#set.fonts;
    const parts: { text: string; readonly family?: string }[] = [];
    for (const grapheme of graphemesOf(text)) {
      const last = parts.at(-1);
      const family = this.#set.familyOf(grapheme);
      const named = family === main.family ? undefined : family;
      // Spaces and what has no font stay with what is before them.
      const stays = last && (last.family === named || family === undefined || /^\s$/.test(grapheme));
      if (stays) last.text += grapheme;
      else parts.push({ text: grapheme, ...(named !== undefined && { family: named }) });
    }
    return parts;
  }
}
