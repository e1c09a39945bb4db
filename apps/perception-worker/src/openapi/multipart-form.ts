import { randomBytes } from 'node:crypto';

interface FormPart {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly type?: string | undefined;
  /** Absent for a part that is no file. */
  readonly filename?: string | undefined;
}

/**
 * A form of several parts (RFC 7578). That of the platform gives each part with a media type a file name, and services take it for a file: an
 * object as JSON would be none of their fields.
 */
export class MultipartForm {
  readonly #boundary = `invoq-${randomBytes(16).toString('hex')}`;
  readonly #chunks: Uint8Array[] = [];

  add({ name, bytes, type, filename }: FormPart): void {
    const disposition = `form-data; name="${escaped(name)}"${filename === undefined ? '' : `; filename="${escaped(filename)}"`}`;
    const lines = [`--${this.#boundary}`, `Content-Disposition: ${disposition}`, ...(type === undefined ? [] : [`Content-Type: ${type}`])];
    this.#chunks.push(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes, Buffer.from('\r\n'));
  }

  whole(): { readonly type: string; readonly bytes: Uint8Array } {
    const bytes = Buffer.concat([...this.#chunks, Buffer.from(`--${this.#boundary}--\r\n`)]);
    return { type: `multipart/form-data; boundary=${this.#boundary}`, bytes };
  }
}

/** As browsers do it: a quote or a line break would end the name. */
function escaped(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
