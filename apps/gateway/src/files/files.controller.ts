import { Readable } from 'node:stream';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, toEnvelope } from '#lib/contracts';
import { FileLinks, Files, type StoredFile } from '#lib/files';
import { Route } from '../http/route.js';
import { byteRangeIn } from './byte-range.js';
import { queryOf } from '../http/call-request.js';

/** A file may be a page that a stranger wrote. At our address it must run and load nothing. */
const pagePolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:";

/** Files that tools made. The link is the credential: a private file's is signed and holds for a time. */
@Controller('files')
export class FilesController {
  readonly #files: Files;
  readonly #links: FileLinks;

  constructor(files: Files, links: FileLinks) {
    this.#files = files;
    this.#links = links;
  }

  @Route({
    access: 'link',
    docs: {
      id: 'getFile',
      summary: 'A file that a tool made; byte ranges are supported',
      tag: 'files',
      parameters: [
        ['path', 'id', 'File id.'],
        ['query', 'expires', 'From the signed link of a private file.'],
        ['query', 'signature', 'From the signed link of a private file.'],
      ],
      media: 'application/octet-stream',
    },
  })
  @Get(':id')
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    const now = new Date();
    const { expires = '', signature = '' } = queryOf(request);
    const link = this.#links.verify(id, { expires: String(expires), signature: String(signature) }, now.getTime());
    const file = await this.#files.find(id, now);
    if (file?.visibility !== 'public') requireValid(link);
    if (!file) throw new Refusal('RESOURCE_NOT_FOUND', 'There is no such file any more; files are kept for a time');
    await send(request, reply, { file, files: this.#files });
  }
}

/** Only callers with a valid link learn whether the file exists. */
function requireValid(link: ReturnType<FileLinks['verify']>): void {
  if (link === 'valid') return;
  const message =
    link === 'expired' ? 'This link has expired; make the call that gave it again' : 'This link is not signed, or was altered';
  throw new Refusal('PERMISSION_DENIED', message);
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
    const facts = { toolName: '', traceId: request.facts.traceId, timestamp: Date.now() };
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
