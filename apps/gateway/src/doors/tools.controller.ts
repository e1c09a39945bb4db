import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { coerceQuery, domains, isToolForm, Refusal, toolForms, type ToolContract, type ToolForm } from '#lib/contracts';
import { resumePoint } from '../callers/guard.js';
import { toRefusal } from '../http/problem.js';
import { Invoker } from '../invocations/invoker.js';
import type { CallOptions } from '../invocations/options.js';
import { findTool } from '../invocations/resolve.js';
import { adoptTraceId, callBasics, optionsOf, parametersInBody, parametersInQuery, queryOf } from './call-request.js';
import { JsonDoor } from './json-door.js';
import { acceptedTypes } from './preference.js';
import { placeOf, Streams } from './streams.js';
import { sendTagged } from './tagged.js';

/** The unified door: discovery, and one call as JSON or as a stream. */
@Controller('tools')
export class ToolsController {
  readonly #invoker: Invoker;
  readonly #json: JsonDoor;
  readonly #streams: Streams;

  constructor(invoker: Invoker, json: JsonDoor, streams: Streams) {
    this.#invoker = invoker;
    this.#json = json;
    this.#streams = streams;
  }

  @Get()
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const { domain, format } = queryOf(request);
    const form = toolForms[formOf(format)];
    if (domain !== undefined && (typeof domain !== 'string' || !Object.hasOwn(domains, domain)))
      throw invalid('domain', `must be one of [${Object.keys(domains).join(', ')}]`);
    // Models are told of what they can call; people and programs see the end of a tool too.
    const known = form === toolForms.native ? this.#invoker.catalog.listed : this.#invoker.offered;
    const shown = known.filter((tool) => domain === undefined || tool.domain === domain);
    sendJson(request, reply, { tools: shown.map((tool) => form(tool)) });
  }

  @Get(':name')
  one(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('name') name: string): void {
    const { version, format } = queryOf(request);
    const contract = findTool(this.#invoker.catalog, typeof version === 'string' ? `${name}@${version}` : name);
    sendJson(request, reply, toolForms[formOf(format)](contract));
  }

  @Post(':name')
  async call(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('name') name: string): Promise<void> {
    const accepts = acceptedTypes(request.headers.accept);
    const streamed = accepts.stream && (!accepts.json || this.#streamsByItself(request, name));
    if (streamed) return this.streamPost(request, reply, name);
    const { input, debug, traceId } = parametersInBody(request.body);
    adoptTraceId(request, traceId);
    const { version } = queryOf(request);
    await this.#json.call(request, reply, {
      tool: typeof version === 'string' ? `${name}@${version}` : name,
      input,
      options: optionsOf(request, { debug }),
    });
  }

  @Get(':name/sse')
  async streamGet(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('name') name: string): Promise<void> {
    adoptTraceId(request, queryOf(request)['_trace_id']);
    const input = (contract: ToolContract) => coerceQuery(contract, parametersInQuery(request));
    await this.#stream(request, reply, { name, input, readsOnly: true });
  }

  @Post(':name/sse')
  async streamPost(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('name') name: string): Promise<void> {
    const { input, debug, traceId } = parametersInBody(request.body);
    adoptTraceId(request, traceId);
    await this.#stream(request, reply, { name, input: () => input, debug, readsOnly: false });
  }

  async #stream(
    request: FastifyRequest,
    reply: FastifyReply,
    call: { name: string; input: (contract: ToolContract) => unknown; debug?: unknown; readsOnly: boolean },
  ): Promise<void> {
    const lastEventId = resumePoint(request);
    if (lastEventId !== null) return this.#resume(request, reply, lastEventId);
    let options: CallOptions | null = null;
    try {
      options = optionsOf(request, { debug: call.debug });
      const invocation = await this.#invoker.invoke({
        tool: call.name,
        input: call.input,
        ...callBasics(request),
        options,
        waits: true,
        readsOnly: call.readsOnly,
      });
      await this.#streams.start(request, reply, { invocation, wishes: { ...options, input: call.input(invocation.contract) } });
    } catch (error) {
      // An EventSource reads no body of a failed request: it gets the error as an event.
      if (reply.sent || acceptedTypes(request.headers.accept).json || !isOwn(error)) throw error;
      const wishes = options && { ...options, input: null };
      await this.#streams.refuse(request, reply, { refusal: toRefusal(error), toolName: call.name.slice(0, 64), wishes });
    }
  }

  /** A reconnecting client must not run the tool again: what cannot be resumed is over. */
  async #resume(request: FastifyRequest, reply: FastifyReply, lastEventId: string): Promise<void> {
    const place = placeOf(lastEventId);
    try {
      if (place) return await this.#streams.resume(request, reply, place);
    } catch (error) {
      if (!(error instanceof Refusal) || error.error.family !== 'RESOURCE_NOT_FOUND') throw error;
    }
    await reply.status(204).send();
  }

  #streamsByItself(request: FastifyRequest, name: string): boolean {
    return (this.#invoker.catalog.find(name.split('@')[0] ?? '')?.streaming ?? false) && optionsOf(request).enable_streaming;
  }
}

/** A wrong method or a missing credential stays a plain HTTP answer. */
function isOwn(error: unknown): boolean {
  return error instanceof Refusal && error.error.family !== 'METHOD_NOT_ALLOWED' && error.error.family !== 'UNAUTHORIZED';
}

function formOf(format: unknown): ToolForm {
  if (format === undefined) return 'native';
  if (!isToolForm(format)) throw invalid('format', `must be one of [${Object.keys(toolForms).join(', ')}]`);
  return format;
}

function invalid(name: string, rest: string): Refusal {
  const message = `Parameter '${name}' ${rest}`;
  return new Refusal('INVALID_PARAMS', message, { details: [{ path: name, message }] });
}

function sendJson(request: FastifyRequest, reply: FastifyReply, body: unknown): void {
  sendTagged(request, reply, { type: 'application/json; charset=utf-8', text: JSON.stringify(body) });
}
