import { Controller, Get, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  aroundPart,
  fileOfResult,
  parseOrRefuse,
  partOf,
  readableData,
  Refusal,
  resultText,
  wholeCharacterAt,
  type ResultPart,
} from '#lib/contracts';
import { FileLinks, Files } from '#lib/files';
import { callerOf } from '../http/caller-of.js';
import type { JobCall } from '../calls/job-call.js';
import { Calls } from '../calls/calls.js';
import { ResultIds } from '../calls/result-ids.js';
import { queryOf } from '../http/query.js';
import { Route } from '../http/route.js';
import { Stores } from '../stores.js';
import { sessionOf } from '../http/call-headers.js';

const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `must be a whole number, ${least}–${most}`)
    .transform(Number)
    .pipe(z.int().min(least, `must be ${least}–${most}`).max(most, `must be ${least}–${most}`));
const asked = z.object({ offset: whole(0, 1_000_000_000).default(0), limit: whole(1, 1_000_000).optional() });

/** Results in parts, for a reader with little room: a model that was given the beginning of one. */
@Controller('results')
export class ResultsController {
  readonly #most: number;

  constructor(
    private readonly calls: Calls,
    private readonly ids: ResultIds,
    private readonly files: Files,
    private readonly links: FileLinks,
    { settings }: Stores,
  ) {
    this.#most = settings.RESULT_CHARACTERS - aroundPart;
  }

  @Route({
    docs: {
      id: 'readResult',
      summary: 'A result in parts, as its JSON: for a model that was given the beginning',
      tag: 'jobs',
      parameters: [
        ['path', 'id', 'The result_id of what was cut: the job id, or metadata.result_id of an answer that was shared.'],
        ['query', 'offset', 'Where the part begins, in UTF-16 code units; 0 by default, then next_offset of the part before.'],
        ['query', 'limit', 'The most characters that the part takes as a string of JSON. At most RESULT_CHARACTERS.'],
      ],
    },
  })
  @Get(':id')
  async read(@Req() request: FastifyRequest, @Param('id') id: string): Promise<ResultPart> {
    const { offset: from, limit = this.#most } = parseOrRefuse(asked, queryOf(request));
    const reader = callerOf(request);
    const job = this.ids.jobOf(reader, id);
    using call = job === null ? await this.calls.find(reader, id, sessionOf(request)) : await this.calls.given(reader, job);
    const text = await this.#textOf(call);
    if (from > text.length) throw beyond(from, text.length);
    const offset = wholeCharacterAt(text, from);
    const part = partOf(text, offset, Math.min(limit, this.#most));
    const end = offset + part.length;
    return {
      result_id: id,
      tool_name: call.toolName,
      characters: text.length,
      offset,
      next_offset: end < text.length ? end : null,
      text: part,
    };
  }

  /** The JSON of the result; of a long answer of an outside server the file that has it. */
  async #textOf(call: JobCall): Promise<string> {
    const { state, head } = await call.job();
    const answer = await call.answer(null, { inline_files: false });
    if (!answer) throw new Refusal('CONFLICT', `The call has not ended yet (${state}): GET /jobs/${call.jobId}?wait=60 waits for it`);
    const { outcome } = answer;
    if (!outcome.ok && outcome.error.family === 'RESULT_CONSUMED') throw new Refusal('RESULT_CONSUMED', outcome.error.message);
    if (!outcome.ok) throw new Refusal('CONFLICT', `The call has no result. It ended with ${outcome.error.code}: ${outcome.error.message}`);
    const file = fileOfResult(outcome.data);
    const id = file && this.links.fileOf(file.url);
    if (!id) return resultText(readableData(outcome.data));
    const kept = await this.files.find(id, new Date());
    // Whoever made the answer may have named any file of ours.
    const isOwn = kept?.tenantId === head.caller.tenantId && kept.userId === head.caller.userId;
    if (!kept || !isOwn) throw new Refusal('RESOURCE_NOT_FOUND', 'The whole result is kept no more; call the tool again');
    return Buffer.from(await this.files.bytes(kept)).toString();
  }
}

function beyond(offset: number, length: number): Refusal {
  const message = `Parameter 'offset' must be 0–${length}: the result has ${length} characters, not ${offset}`;
  return new Refusal('INVALID_PARAMS', message, { details: [{ path: 'offset', message }] });
}
