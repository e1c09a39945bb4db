import type { z } from 'zod';
import { contentTypeShape, keptFile, mostFileBytes, workerLimits, type FileData } from '#lib/contracts';
import type { OutgoingFile } from '#lib/handlers';

/** What a file is made of: its bytes, its text in UTF-8, or a stream of either, such as `createReadStream(path)` or `response.body`. */
export type FileContent = Uint8Array | string | AsyncIterable<Uint8Array | string>;

export interface FileFacts {
  /** With its ending, `report.pdf`, at most 255 characters. What a file system does not take is replaced, and what is over 80 characters cut. */
  readonly name: string;
  /** A media type, `application/pdf`. */
  readonly type: string;
}

/** A file that stands in what a tool gives; it is sent before the answer. */
export class ToolFile implements OutgoingFile {
  readonly name: string;
  readonly type: string;
  readonly content: AsyncIterable<Uint8Array>;

  constructor(content: FileContent, { name, type }: FileFacts) {
    if (typeof name !== 'string' || name === '' || name.length > workerLimits.fileName)
      throw new TypeError(`The name of a file has 1 to ${workerLimits.fileName} characters`);
    if (typeof type !== 'string' || type.length > workerLimits.contentType || !contentTypeShape.test(type))
      throw new TypeError(`The type of the file ${JSON.stringify(name)} must be a media type, such as image/png`);
    const isWhole = typeof content === 'string' || content instanceof Uint8Array;
    if (!isWhole && typeof content?.[Symbol.asyncIterator] !== 'function')
      throw new TypeError(`The file ${JSON.stringify(name)} must be bytes, a text or a stream`);
    if (isWhole && Buffer.byteLength(content) > mostFileBytes)
      throw new RangeError(`The file ${JSON.stringify(name)} has more than ${mostFileBytes} bytes`);
    // What no store of the gateway takes.
    this.name = name.replaceAll('\0', ' ').toWellFormed();
    this.type = type;
    this.content = bytesOf(isWhole ? [content] : content);
  }

  /** Where it is no part of the answer, as in a step or in an output, it would be lost without a word. */
  toJSON(): never {
    throw new TypeError(`The file ${JSON.stringify(this.name)} can stand in the answer of a tool alone, in no step and no output event`);
  }
}

/** A file in the answer of a tool: `return { report: file(bytes, { name: 'report.pdf', type: 'application/pdf' }) }`. At most 100 MB. */
export function file(content: FileContent, facts: FileFacts): ToolFile {
  return new ToolFile(content, facts);
}

/** Stands in the output of a contract where the tool gives a file. Callers get its name, type, size, and a link that holds for a time. */
export const fileSchema: z.ZodType<FileData, ToolFile | FileData> = keptFile;

/** The answer of a tool with what callers get of each of its files, which are sent now, one after the other. */
export async function withFilesSent(answer: unknown, send: (file: OutgoingFile) => Promise<FileData>): Promise<unknown> {
  const files = new Set<ToolFile>();
  mapToolFiles(answer, (one) => files.add(one));
  if (files.size === 0) return answer;
  if (files.size > workerLimits.files)
    throw new RangeError(`An answer has at most ${workerLimits.files} files, and this one has ${files.size}`);
  const sent = new Map<ToolFile, FileData>();
  for (const one of files) sent.set(one, await send(one));
  return mapToolFiles(answer, (one) => sent.get(one));
}

/** Looks into lists and plain objects alone: others may hold themselves. */
function mapToolFiles(value: unknown, change: (file: ToolFile) => unknown): unknown {
  if (value instanceof ToolFile) return change(value);
  if (Array.isArray(value)) return value.map((item) => mapToolFiles(item, change));
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapToolFiles(item, change)]));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

async function* bytesOf(content: Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
