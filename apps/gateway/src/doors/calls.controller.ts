import { Controller, Header, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Refusal, toDefinition } from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { languageOf } from '../http/language.js';
import { readBody } from '../http/read-body.js';
import { Route } from '../http/route.js';
import { plainDataOf } from '../calls/answer.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { parametersInBody } from '../calls/call-body.js';
import { adoptTraceId, optionsOf, resultFormOf } from './call-request.js';
import { disconnected } from '../http/query.js';
import { JsonDoor, resultParameter } from './json-door.js';

/** @limit calls: calls of one POST /tools/batch; INVALID_PARAMS */
const maxCalls = 50;
const callBody = z.looseObject({
  name: z.string().min(1).max(200),
  arguments: z.record(z.string(), z.unknown()).default({}),
  options: z.record(z.string(), z.unknown()).optional(),
});
const batchBody = z.strictObject({
  calls: z
    .array(
      callBody.extend({
        id: z.union([z.string().max(200), z.number()], 'must be a text or a number that tells this call from the others'),
      }),
    )
    .min(1, 'must have at least 1 call')
    .max(maxCalls, `must have at most ${maxCalls} calls`),
});

const callSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, arguments: { type: 'object' }, options: { type: 'object' } },
  required: ['name'],
};
const batchSchema = {
  type: 'object',
  properties: { calls: { type: 'array', minItems: 1, maxItems: maxCalls, items: callSchema } },
  required: ['calls'],
};

/** REST-shaped discovery and calls (TU-94), and many calls at once. */
@Controller('tools')
export class CallsController {
  constructor(
    private readonly tools: ToolDirectory,
    private readonly json: JsonDoor,
  ) {}

  @Route({
    points: 5,
    docs: { id: 'listToolsByPost', summary: 'Definitions, for REST-shaped registries', tag: 'discovery', body: { type: 'object' } },
  })
  @Post('list')
  @HttpCode(200)
  list(@Req() request: FastifyRequest): object {
    return { tools: this.tools.of(callerOf(request)).listed.map((tool) => toDefinition(tool, languageOf(request))) };
  }

  @Route({
    points: 0,
    docs: { id: 'callToolByName', summary: 'Call a tool by name', tag: 'calls', parameters: [resultParameter], body: callSchema },
  })
  @Post('call')
  async call(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = readBody(request, callBody);
    const { input, debug, traceId } = parametersInBody(body.arguments);
    adoptTraceId(request, traceId);
    const form = resultFormOf(request, body.options);
    await this.json.call(request, reply, {
      tool: body.name,
      input,
      options: optionsOf(request, { debug, options: body.options, form }),
      ...(form === 'data' && { shape: plainDataOf }),
    });
  }

  /** Each call has its own envelope; one that fails does not stop the others. */
  @Route({ points: 0, docs: { id: 'callTools', summary: 'Up to 50 calls at once', tag: 'calls', body: batchSchema } })
  @Post('batch')
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  async batch(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { calls } = readBody(request, batchBody);
    const ids = new Set(calls.map(({ id }) => id));
    if (ids.size < calls.length)
      throw new Refusal('INVALID_PARAMS', "Parameter 'calls' must have a different id in each call", {
        details: [{ path: 'calls', message: 'ids repeat' }],
      });
    const gone = disconnected(reply);
    const results = calls.map(async (call) => {
      const { input, debug, traceId } = parametersInBody(call.arguments);
      const options = () => optionsOf(request, { debug, options: call.options });
      return { id: call.id, ...(await this.json.resultOf(request, { tool: call.name, input, options, traceId }, gone)) };
    });
    return { results: await Promise.all(results) };
  }
}
