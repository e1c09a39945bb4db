// Reads the body of a batch as it comes: line by line, each checked by itself.
import { createHash, type Hash } from 'node:crypto';
import {
  invalidField,
  batchCall,
  mostBatchBytes,
  mostBatchCalls,
  parseOrRefuse,
  Refusal,
  type BatchCall,
  type ToolError,
} from '#lib/contracts';
import { parametersInBody } from '../../calls/call-body.js';
import { parseJson, textOf, tooLarge } from '../../http/json-body.js';
import type { StreamedBody } from '../../http/streamed-body.js';
import { parseOptions } from '../../calls/options.js';
import { toRefusal } from '../../calls/to-refusal.js';
import { ItemSplitter, LineSplitter, mostPieceBytes, PieceTooLong } from './body-splitter.js';
import type { SealedCall } from './sealed-call.js';

/** A line as it was read. */
export type ReadLine =
  | { readonly n: number; readonly lineId: string | null; readonly tool: string; readonly call: SealedCall }
  | { readonly n: number; readonly lineId: string | null; readonly error: ToolError };

/** What was read at once is stored at once. Nobody else is answered while lines are checked and sealed: so they are few. */
const mostTogether = 100;
const mostTogetherBytes = 256 * 1024;
/** What costs as much as a plain request. */
const bytesOfAPoint = 64 * 1024;
const linesOfAPoint = 50;

/** Reads one body. */
export class Intake {
  readonly #body: StreamedBody;
  readonly #hash: Hash = createHash('sha256');
  #bytes = 0;
  #lines = 0;
  #around: unknown = { calls: [] };

  constructor(body: StreamedBody) {
    this.#body = body;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get lines(): number {
    return this.#lines;
  }

  /** Points that reading has cost. */
  get points(): number {
    return Math.floor(this.#bytes / bytesOfAPoint) + Math.floor(this.#lines / linesOfAPoint);
  }

  /** What stands around the calls of a JSON body, which has an empty list of them here. */
  get around(): unknown {
    return this.#around;
  }

  /** Of all bytes. */
  get fingerprint(): string {
    return this.#hash.copy().digest('hex');
  }

  /** Its lines, some at a time. Throws INVALID_PARAMS for a body that is none, or has too many, and PAYLOAD_TOO_LARGE. */
  async *read(): AsyncGenerator<readonly ReadLine[]> {
    const isJson = this.#body.form === 'json';
    const items = new ItemSplitter();
    const splitter = isJson ? items : new LineSplitter();
    let together: ReadLine[] = [];
    let bytes = 0;
    for await (const part of this.#parts()) {
      for (const text of cut(() => splitter.push(part))) {
        together.push(this.#line(text));
        bytes += text.length;
        if (together.length < mostTogether && bytes < mostTogetherBytes) continue;
        yield together;
        [together, bytes] = [[], 0];
      }
    }
    for (const text of cut(() => splitter.end())) together.push(this.#line(text));
    if (together.length > 0) yield together;
    if (isJson) this.#around = parseJson(textOf(items.around, 'The body'), 'body').value;
  }

  /** Reads all of it for its fingerprint alone. */
  async skip(): Promise<void> {
    for await (const _ of this.#parts());
  }

  async *#parts(): AsyncGenerator<Buffer> {
    try {
      for await (const part of this.#body.stream) {
        this.#bytes += part.length;
        if (this.#bytes > mostBatchBytes) throw tooLarge(mostBatchBytes);
        this.#hash.update(part);
        yield part;
      }
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw new Refusal('INVALID_PARAMS', 'The body ended too early');
    }
  }

  #line(text: Buffer): ReadLine {
    const n = this.#lines++;
    if (n >= mostBatchCalls) throw invalidField('calls', `must be at most ${mostBatchCalls}`);
    let value: unknown;
    try {
      value = parseJson(textOf(text, 'The line'), 'line').value;
      const { id, name, arguments: given, options = {} } = parseOrRefuse(batchCall, value);
      const { input, debug, traceId } = parametersInBody(given);
      parseOptions(options);
      const call = { input, options: { ...(typeof debug === 'boolean' && { debug }), ...options }, traceId, sessionId: null };
      return { n, lineId: idText(id), tool: name, call };
    } catch (error) {
      return { n, lineId: idText(idIn(value)), error: toRefusal(error).error };
    }
  }
}

function cut(split: () => readonly Buffer[]): readonly Buffer[] {
  try {
    return split();
  } catch (error) {
    if (!(error instanceof PieceTooLong)) throw error;
    throw new Refusal('PAYLOAD_TOO_LARGE', `One call of a batch must have at most ${mostPieceBytes} bytes`);
  }
}

/** The id of a line that is no call. */
function idIn(value: unknown): BatchCall['id'] {
  const id: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'id') : undefined;
  return batchCall.shape.id.safeParse(id).data;
}

function idText(id: BatchCall['id']): string | null {
  return id === undefined ? null : JSON.stringify(id);
}
