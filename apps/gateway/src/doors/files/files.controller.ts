import { Readable } from 'node:stream';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, toEnvelope } from '#lib/contracts';
import { FileLinks, Files, type StoredFile } from '#lib/files';
import { Authenticator } from '../../callers/authenticator.js';
import { languageOf } from '../../http/language.js';
import { Route } from '../../http/route.js';
import { byteRangeIn } from './byte-range.js';
import { queryOf } from '../../http/query.js';

const fileIdShape = /^file_[\w-]{1,100}$/;
/** A file may be a page that a stranger wrote. At our address it must run and load nothing. */
const pagePolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:";

/** Files that tools made. The link is the credential: a private file's is signed and holds for a time. */
@Controller('files')
export class FilesController {
  constructor(
    private readonly files: Files,
    private readonly links: FileLinks,
    private readonly credentials: Authenticator,
  ) {}

  @Route({
    access: 'link',
    docs: {
      id: 'getFile',
      summary: 'A file that a tool made; byte ranges are supported',
      tag: 'files',
      parameters: [
        ['path', 'id', 'File id.'],
        ['query', 'expires', 'From the signed link of a private file.'],
        ['query', 'key', 'From the signed link of a private file.'],
        ['query', 'signature', 'From the signed link of a private file.'],
      ],
      media: 'application/octet-stream',
    },
  })
  @Get(':id')
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    const now = new Date();
    const isSigned = await this.#isSigned(id, queryOf(request), now);
    // What cannot be a file is answered like a file without a link, and asks no store.
    const file = fileIdShape.test(id) ? await this.files.find(id, now) : null;
    if (file?.visibility !== 'public' && !isSigned) throw refused('This link is not signed');
    if (!file) throw new Refusal('RESOURCE_NOT_FOUND', 'There is no such file any more; files are kept for a time');
    await send(request, reply, { file, files: this.files });
  }

  /** Whether the request has a good link; false when it has none. Throws PERMISSION_DENIED for one that is not good, or not any more. */
  async #isSigned(id: string, query: ReturnType<typeof queryOf>, now: Date): Promise<boolean> {
    const { expires = '', key = '', signature = '' } = query;
    if (expires === '' && signature === '') return false;
    const state = this.links.verify(id, { expires: String(expires), key: String(key), signature: String(signature) }, now.getTime());
    if (state === 'invalid') throw refused('This link is not signed, or was altered');
    if (state === 'expired') throw refused('This link has expired; make the call that gave it again');
    if (key !== '') await this.credentials.check({ credentialId: String(key) }).catch(refuseWithKey);
    return true;
  }
}

function refused(message: string): Refusal {
  return new Refusal('PERMISSION_DENIED', message);
}

/** The link is the credential here: there is none to ask the reader for. */
function refuseWithKey(error: unknown): never {
  if (error instanceof Refusal && error.error.family === 'UNAUTHORIZED')
    throw refused('This link has ended with the API key that it was made with; make the call again');
  throw error;
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, files }: { readonly file: StoredFile; readonly files: Files },
): Promise<void> {
  const etag = `"${file.sha256.slice(0, 32)}"`;
  void reply.headers({
    etag,
    'accept-ranges': 'bytes',
    'cache-control': `${file.visibility}, max-age=${Math.max(0, Math.floor((file.expiresAt.getTime() - Date.now()) / 1_000))}`,
    'content-disposition': `attachment; filename="${file.filename.replaceAll(/[^\x20-\x7e]|["\\]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(file.filename)}`,
    'content-security-policy': pagePolicy,
    'x-content-type-options': 'nosniff',
  });
  if (request.headers['if-none-match']?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))))
    return void reply.status(304).send();
  const isSame = request.headers['if-range'] === undefined || request.headers['if-range'] === etag;
  const range = isSame ? byteRangeIn(request.headers.range, file.sizeBytes) : null;
  if (range === 'unsatisfiable') {
    const message = `The file has ${file.sizeBytes} bytes; the range lies behind its end`;
    const outcome = { ok: false, error: { code: 'INVALID_PARAMS', family: 'INVALID_PARAMS', message } } as const;
    const facts = { toolName: '', traceId: request.facts.traceId, timestamp: Date.now(), language: languageOf(request) };
    return void reply.status(416).header('content-range', `bytes */${file.sizeBytes}`).send(toEnvelope(outcome, facts));
  }
  void reply.type(file.contentType);
  if (range)
    void reply.status(206).headers({
      'content-range': `bytes ${range.start}-${range.end}/${file.sizeBytes}`,
      'content-length': range.end - range.start + 1,
    });
  else void reply.header('content-length', file.sizeBytes);
  // An empty stream, because Fastify would set the length of any other body, and it must be the file's.
  await reply.send(request.method === 'HEAD' ? Readable.from([]) : await files.read(file, range ?? undefined));
}
