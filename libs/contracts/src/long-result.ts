// What a model reads of a result that is too long for its context: the beginning, and how to read on.
import { z } from 'zod';

/** Characters of a result that a model reads, as a setting of all who give results to one. */
export const resultCharacters = z.coerce.number().int().min(2_000).max(1_000_000).default(24_000);

/** Of a part: what stands around its text takes no more than this. */
export const aroundPart = 1_000;
/** How far back a part ends at a space or a comma, in characters. */
const nearEnd = 200;

/** What stands for data that is too long. Of an outside server's long answer, which is a file, it has the name and the link, too. */
export interface CutResult {
  readonly truncated: true;
  /** Of the whole, as JSON. Unknown of a file. */
  readonly characters?: number;
  /** What `get_result` takes. */
  readonly result_id?: string;
  /** In words. */
  readonly read_on: string;
  readonly beginning: string;
  readonly [more: string]: unknown;
}

export interface ReaderOfResult {
  /** The most characters of JSON. */
  readonly most: number;
  /** Undefined where nobody has the whole. */
  readonly resultId: string | undefined;
  /** How the reader calls `get_result`, such as `get_result with`; null where it cannot. */
  readonly tool: string | null;
  /** Where a person with the key reads it, if that is known. */
  readonly url?: string | undefined;
}

/** The long answer of an outside server, as it is stored: the whole is the file of this link. */
const keptAsFile = z.looseObject({ truncated: z.literal(true), url: z.url(), filename: z.string(), beginning: z.string() });

/** Data for a model: as it is, or cut. What is cut takes no more than `most` characters of JSON either. */
export function cutForModel(data: unknown, reader: ReaderOfResult): unknown {
  const file = fileOfResult(data);
  if (file && reader.resultId !== undefined) return { ...file, result_id: reader.resultId, read_on: readOn(reader, file.beginning.length) };
  const text = resultText(data);
  return text.length <= reader.most ? data : cutTextForModel(text, text.length, reader);
}

/** The beginning of a result, of which there may be no more here. @param characters of the whole; undefined where that is not known */
export function cutTextForModel(text: string, characters: number | undefined, reader: ReaderOfResult): CutResult {
  const { resultId: result_id, url, most } = reader;
  const around = {
    truncated: true,
    ...(characters !== undefined && { characters }),
    ...(result_id !== undefined && { result_id, ...(url && { url }) }),
  } as const;
  const room = most - JSON.stringify({ ...around, read_on: readOn(reader, text.length), beginning: '' }).length;
  const beginning = partOf(text, 0, Math.max(room, 1));
  return { ...around, read_on: readOn(reader, beginning.length), beginning };
}

/** Its file, where data is what stands for a long answer of an outside server. */
export function fileOfResult(data: unknown): z.infer<typeof keptAsFile> | null {
  return keptAsFile.safeParse(data).data ?? null;
}

/** Data as the text that is read in parts. */
export function resultText(data: unknown): string {
  return JSON.stringify(data) ?? 'null';
}

/**
 * A part of a text from a place on, which takes at most so many characters as a string of JSON. It ends after a space or a comma where one
 * is near, and never within a character. At least one character, where one is left.
 */
export function partOf(text: string, offset: number, most: number): string {
  let [end, size] = [offset, 0];
  while (end < text.length) {
    const width = isPair(text, end) ? 2 : 1;
    size += width === 2 ? 2 : sizeInJson(text.charCodeAt(end));
    if (size > most && end > offset) break;
    end += width;
  }
  if (end >= text.length) return text.slice(offset);
  const near = Math.max(offset + 1, end - nearEnd);
  for (let at = end; at > near; at -= 1) if (text[at - 1] === ' ' || text[at - 1] === ',') return text.slice(offset, at);
  return text.slice(offset, end);
}

/** The place of a whole character, at this place or before. */
export function wholeCharacterAt(text: string, offset: number): number {
  return offset > 0 && isPair(text, offset - 1) ? offset - 1 : offset;
}

function isPair(text: string, at: number): boolean {
  const [first, second] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
  return first >= 0xd8_00 && first < 0xdc_00 && second >= 0xdc_00 && second < 0xe0_00;
}

function sizeInJson(code: number): number {
  if (code === 0x22 || code === 0x5c) return 2;
  if (code >= 0xd8_00 && code < 0xe0_00) return 6;
  if (code >= 0x20) return 1;
  return [0x08, 0x09, 0x0a, 0x0c, 0x0d].includes(code) ? 2 : 6;
}

function readOn({ resultId, tool, url }: ReaderOfResult, offset: number): string {
  const beginning = 'The result is too long: this is its beginning, as JSON.';
  if (resultId === undefined) return `${beginning} Ask for less of it.`;
  if (tool !== null) return `${beginning} Call ${tool} this result_id and offset ${offset} for what follows, or ask for less.`;
  return `${beginning} Ask for less of it${url === undefined ? '' : '; whoever has the key reads the whole at url'}.`;
}

/** A part of a result. */
export interface ResultPart {
  readonly result_id: string;
  readonly tool_name: string;
  /** Of the whole, as JSON, in UTF-16 code units. */
  readonly characters: number;
  readonly offset: number;
  /** Null at the end. */
  readonly next_offset: number | null;
  readonly text: string;
}
