import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  invalidParameter,
  coerceQuery,
  isToolForm,
  parseEventId,
  Refusal,
  toolForms,
  type ToolContract,
  type ToolForm,
} from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { setParameter } from '../callers/caller-in-set.js';
import { Route, type RouteParameter } from '../http/route.js';
import { plainDataOf } from '../calls/answer.js';
import { Calls } from '../calls/calls.js';
import type { CallOptions } from '../calls/options.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { parametersInBody } from '../calls/call-body.js';
import { sessionOf } from '../http/call-headers.js';
import { adoptTraceId, optionsOf, parametersInQuery, resultFormOf } from './call-request.js';
import { queryOf, resumePoint } from '../http/query.js';
import { FoundTools, foundParameters, wantedIn } from './found-tools.js';
import { toolForm } from './event-form.js';
import { JsonDoor, resultParameter } from './json-door.js';
import { acceptedTypes } from './preference.js';
import { StreamDoor, type StreamedCall } from './stream-door.js';
import { languageOf, noteLanguage } from '../http/language.js';
import { KeptTexts } from '../http/kept-texts.js';
import { sendTagged, tagged } from '../http/tagged.js';

const toolName: RouteParameter = ['path', 'name', 'Name, alias, or name@range.'];
const formatParameter: RouteParameter = ['query', 'format', 'native, openai, anthropic or mcp.'];

/** The unified door: discovery, and one call as JSON or as a stream. */
@Controller('tools')
export class ToolsController {
  readonly #texts = new KeptTexts();

  constructor(
    private readonly tools: ToolDirectory,
    private readonly calls: Calls,
    private readonly json: JsonDoor,
    private readonly streams: StreamDoor,
    private readonly found: FoundTools,
  ) {}

  @Route({
    linkedFromPage: true,
    takesSet: true,
    points: 5,
    docs: {
      id: 'listTools',
      summary: 'Definitions of all tools, or of those that fit a request in words',
      tag: 'discovery',
      parameters: [formatParameter, ['query', 'domain', 'Only tools of this domain.'], setParameter, ...foundParameters],
    },
  })
  @Get()
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { domain, format, set: _, ...others } = queryOf(request);
    const formName = formOf(format);
    const form = toolForms[formName];
    const tools = this.tools.of(callerOf(request));
    if (domain !== undefined && (typeof domain !== 'string' || !tools.catalog.domains.includes(domain)))
      throw invalidParameter('domain', `must be one of [${tools.catalog.domains.join(', ')}]`);
    // A model sees only what it can call. People and programs also see tools that have reached their end.
    const known = form === toolForms.native ? tools.listed : tools.offered;
    const isShown = (tool: ToolContract): boolean => domain === undefined || (tool.served?.domain ?? tool.domain) === domain;
    const wanted = wantedIn(others, formName);
    if (wanted) return void reply.send(await this.found.list(tools, wanted, { caller: callerOf(request), shows: isShown, form }));
    const shown = () => known.filter(isShown);
    const language = languageOf(request);
    const text = () => JSON.stringify({ tools: shown().map((tool) => form(tool, language)) });
    // Between two changes of the catalog, tools only come to their end: how many are left says which.
    noteLanguage(reply, language);
    sendTagged(request, reply, this.#texts.of(tools.catalog.tools, `${formName} ${language} ${domain} ${known.length}`, text));
  }

  @Route({
    takesSet: true,
    docs: {
      id: 'getTool',
      summary: 'One definition',
      tag: 'discovery',
      parameters: [toolName, ['query', 'version', 'Version range.'], formatParameter, setParameter],
    },
  })
  @Get(':name')
  one(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('name') name: string): void {
    const { version, format } = queryOf(request);
    const contract = this.tools.of(callerOf(request)).find(typeof version === 'string' ? `${name}@${version}` : name);
    const language = languageOf(request);
    noteLanguage(reply, language);
    sendTagged(request, reply, tagged(JSON.stringify(toolForms[formOf(format)](contract, language))));
  }

  @Route({
    toolParameter: 'name',
    takesSet: true,
    points: 0,
    docs: {
      id: 'callTool',
      summary: 'Call any tool',
      tag: 'calls',
      parameters: [toolName, resultParameter, setParameter],
      body: { type: 'object' },
    },
  })
  @Post(':name')
  async call(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('name') name: string): Promise<void> {
    const accepts = acceptedTypes(request.headers.accept);
    const streamed = accepts.stream && (!accepts.json || this.#streamsByItself(request, name));
    if (streamed) return this.streamPost(request, reply, name);
    const { input, debug, traceId } = parametersInBody(request.body);
    adoptTraceId(request, traceId);
    const { version } = queryOf(request);
    const form = resultFormOf(request);
    await this.json.call(request, reply, {
      tool: typeof version === 'string' ? `${name}@${version}` : name,
      input,
      options: optionsOf(request, { debug, form }),
      isOfHead: debug === undefined && traceId === null,
      ...(form === 'data' && { shape: plainDataOf }),
    });
  }

  @Route({
    ticket: 'start',
    points: 0,
    docs: {
      id: 'streamToolByGet',
      summary: 'Call a tool that only reads, as an event stream',
      tag: 'calls',
      parameters: [toolName, ['query', 'ticket', 'One-time ticket of an EventSource.']],
      media: 'text/event-stream',
    },
  })
  @Get(':name/sse')
  async streamGet(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('name') name: string): Promise<void> {
    adoptTraceId(request, queryOf(request)['_trace_id']);
    const input = (contract: ToolContract) => coerceQuery(contract, parametersInQuery(request));
    await this.#stream(request, reply, { tool: name, input, readsOnly: true });
  }

  @Route({
    ticket: 'start',
    points: 0,
    toolParameter: 'name',
    takesSet: true,
    docs: {
      id: 'streamTool',
      summary: 'Call a tool as an event stream',
      tag: 'calls',
      parameters: [toolName, setParameter],
      body: { type: 'object' },
      media: 'text/event-stream',
    },
  })
  @Post(':name/sse')
  async streamPost(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('name') name: string): Promise<void> {
    const { input, debug, traceId } = parametersInBody(request.body);
    adoptTraceId(request, traceId);
    const isOfHead = debug === undefined && traceId === null;
    await this.#stream(request, reply, { tool: name, input: () => input, body: input, isOfHead, debug, readsOnly: false });
  }

  async #stream(
    request: FastifyRequest,
    reply: FastifyReply,
    { debug, ...call }: Omit<StreamedCall, 'options'> & { readonly debug?: unknown },
  ): Promise<void> {
    const lastEventId = resumePoint(request);
    if (lastEventId !== null) return this.#resume(request, reply, lastEventId);
    let options: CallOptions | null = null;
    try {
      options = optionsOf(request, { debug });
      await this.streams.call(request, reply, { ...call, options });
    } catch (error) {
      // An EventSource cannot read the body of a failed request: it gets the error as an event.
      if (reply.sent || acceptedTypes(request.headers.accept).json || !isOfCall(error)) throw error;
      const answer = await this.calls.refused(error, { tool: call.tool, facts: request.facts, options });
      this.streams.refuse(request, reply, answer);
    }
  }

  /** A client that reconnects must not run the tool again: what cannot be found any more is 204. */
  async #resume(request: FastifyRequest, reply: FastifyReply, lastEventId: string): Promise<void> {
    const place = parseEventId(lastEventId);
    const found = place && (await this.calls.find(callerOf(request), place.jobId, sessionOf(request)).catch(nullIfNotFound));
    if (!found) return void (await reply.status(204).send());
    using call = found;
    await this.streams.follow(request, reply, { call, after: place.seq, form: toolForm });
  }

  #streamsByItself(request: FastifyRequest, name: string): boolean {
    return (this.tools.of(callerOf(request)).named(name)?.streaming ?? false) && optionsOf(request).enable_streaming;
  }
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof Refusal && error.error.family === 'RESOURCE_NOT_FOUND') return null;
  throw error;
}

/** Whether an error is the call's own. A wrong method or a missing credential stays a plain HTTP answer. */
function isOfCall(error: unknown): boolean {
  return error instanceof Refusal && error.error.family !== 'METHOD_NOT_ALLOWED' && error.error.family !== 'UNAUTHORIZED';
}

function formOf(format: unknown): ToolForm {
  if (format === undefined) return 'native';
  if (!isToolForm(format)) throw invalidParameter('format', `must be one of [${Object.keys(toolForms).join(', ')}]`);
  return format;
}
