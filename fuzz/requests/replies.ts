export interface Reply {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/**
 * The replies that a socket gave.
 * @param isClosed whether the server gave all that it meant to; else a last reply that is not whole is left out
 */
export function parseReplies(bytes: Buffer, isClosed: boolean): readonly Reply[] {
  const replies: Reply[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1]);
    if (end < 0 || !status) return replies;
    const headers = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const),
    );
    const { text, size, isWhole } = bodyOf(rest.subarray(end + 4), headers, status);
    if (!isWhole && !isClosed) return replies;
    if (status >= 200) replies.push({ status, headers, text });
    rest = rest.subarray(end + 4 + size);
  }
}

interface Body {
  readonly text: string;
  readonly size: number;
  readonly isWhole: boolean;
}

function bodyOf(bytes: Buffer, headers: ReadonlyMap<string, string>, status: number): Body {
  if (status < 200 || status === 204 || status === 304) return { text: '', size: 0, isWhole: true };
  if (headers.get('transfer-encoding') !== 'chunked') {
    const declared = Number(headers.get('content-length') ?? bytes.length);
    const size = Math.min(bytes.length, declared);
    return { text: bytes.subarray(0, size).toString('utf8'), size, isWhole: size === declared };
  }
  const parts: Buffer[] = [];
  let place = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', place);
    const length = lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.subarray(place, lineEnd).toString('latin1'), 16);
    if (Number.isNaN(length)) return { text: Buffer.concat(parts).toString('utf8'), size: bytes.length, isWhole: false };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + length));
    place = lineEnd + 2 + length + 2;
    if (length === 0) return { text: Buffer.concat(parts).toString('utf8'), size: Math.min(place, bytes.length), isWhole: true };
  }
}
