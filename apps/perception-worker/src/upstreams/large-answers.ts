// What is too large for stores and for the context of a model becomes a file, with a link in its place.
import { fileIdOf } from '#lib/files';
import { fileBytesFact, type ToolContext } from '#lib/handlers';
import type { Caller } from '#lib/contracts';
import type { ReportFiles } from '../services.js';

/**
 * Bytes of a picture, a sound or a resource that stay within the answer.
 * @limit outside servers: bytes of a picture that stay in the answer; it is a file
 */
const mostInlineBytes = 256 * 1024;
/** The same of all of them together. */
const mostInlineTogether = 512 * 1024;
/** Characters of a whole answer that is a file. */
const shownCharacters = 2_000;

interface Keeping {
  readonly reportFiles: Pick<ReportFiles, 'keep'>;
  readonly caller: Caller;
  /** What the ids of files follow from, so that a second attempt writes the same ones. */
  readonly effectKey: string;
  /** What the files are called after. */
  readonly tool: string;
  readonly recordFacts: ToolContext['recordFacts'];
}

interface Bytes {
  /** Whether they are a file, whatever their size: nobody can read them in an answer. */
  readonly isFile: boolean;
  readonly base64: string;
  readonly mimeType: string;
}

interface Link {
  readonly url: string;
  readonly filename: string;
  readonly mime_type: string;
  readonly size_bytes: number;
}

/** Keeps what answers have that is too large, as files of the caller. */
export class LargeAnswers {
  readonly #keeping: Keeping;
  #files = 0;
  #inlineBytes = 0;
  #fileBytes = 0;

  constructor(keeping: Keeping) {
    this.#keeping = keeping;
  }

  /** The data with links in the place of large pictures, sounds and resources, at any depth. Also the names of the files. */
  async withoutLargeBytes(data: unknown): Promise<{ readonly data: unknown; readonly files: readonly string[] }> {
    const links = new Map<object, Link>();
    for (const [holder, { base64, mimeType }] of this.#tooLarge(data))
      links.set(holder, await this.#keep(Buffer.from(base64, 'base64'), mimeType));
    if (links.size === 0) return { data, files: [] };
    const linked = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(linked);
      if (typeof value !== 'object' || value === null) return value;
      const link = links.get(value);
      if (link) return { type: 'resource_link', uri: link.url, name: link.filename, mimeType: link.mime_type, size: link.size_bytes };
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, linked(part)]));
    };
    return { data: linked(data), files: [...links.values()].map(({ filename }) => filename) };
  }

  /** The beginning of an answer, and a link to the whole of it. */
  async asFile(json: string): Promise<Link & { readonly truncated: true; readonly beginning: string }> {
    const link = await this.#keep(Buffer.from(json), 'application/json');
    return { ...link, truncated: true, beginning: json.slice(0, shownCharacters).toWellFormed() };
  }

  #tooLarge(data: unknown): ReadonlyMap<object, Bytes> {
    const found = new Map<object, Bytes>();
    const look = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const bytes = Array.isArray(value) ? null : bytesIn({ ...value });
      if (bytes) {
        if (bytes.isFile || this.#isTooLarge(bytes.base64.length)) found.set(value, bytes);
      } else for (const part of Object.values(value)) look(part);
    };
    look(data);
    return found;
  }

  #isTooLarge(base64Length: number): boolean {
    const bytes = Math.floor((base64Length * 3) / 4);
    if (bytes > mostInlineBytes || this.#inlineBytes + bytes > mostInlineTogether) return true;
    this.#inlineBytes += bytes;
    return false;
  }

  async #keep(bytes: Buffer, contentType: string): Promise<Link> {
    const { reportFiles, caller, effectKey, tool, recordFacts } = this.#keeping;
    const number = ++this.#files;
    const file = await reportFiles.keep(caller, {
      id: fileIdOf(effectKey, `answer ${number}`),
      filename: `${tool}-${number}${endingOf(contentType)}`,
      contentType,
      visibility: 'private',
      bytes,
    });
    this.#fileBytes += file.size_bytes;
    recordFacts({ [fileBytesFact]: this.#fileBytes });
    return { url: file.url, filename: file.filename, mime_type: contentType, size_bytes: file.size_bytes };
  }
}

/** Bytes as MCP has them: `data` or `blob` beside a `mimeType`, in the block or in its `resource`. */
function bytesIn({ resource, ...block }: Readonly<Record<string, unknown>>): Bytes | null {
  const isFile = block['type'] === 'file';
  const { mimeType, data, blob }: Readonly<Record<string, unknown>> = typeof resource === 'object' ? { ...resource } : block;
  const base64 = typeof data === 'string' ? data : blob;
  if (typeof mimeType !== 'string' || typeof base64 !== 'string') return null;
  return { isFile, base64, mimeType: /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : 'application/octet-stream' };
}

function endingOf(contentType: string): string {
  const [, kind = ''] = contentType.split('/');
  const known: Readonly<Record<string, string>> = { jpeg: 'jpg', plain: 'txt', 'svg+xml': 'svg', mpeg: 'mp3', 'octet-stream': 'bin' };
  const ending = Object.hasOwn(known, kind) ? known[kind] : kind;
  return ending && /^[a-z0-9]{1,8}$/.test(ending) ? `.${ending}` : '';
}
