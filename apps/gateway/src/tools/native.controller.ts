import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Catalog, nativeOutcome, nativeShapes } from '#lib/contracts';
import { Route, type RouteFacts } from '../http/route.js';
import { adoptTraceId, optionsOf, parametersInBody } from '../http/call-request.js';
import { JsonDoor } from './json-door.js';

type NativeSource = keyof typeof nativeShapes;

/** The source documents' own routes: the same pipeline, answered in exactly their keys (C-01). */
@Controller()
export class NativeController {
  readonly #json: JsonDoor;
  readonly #catalog: Catalog;

  constructor(json: JsonDoor, catalog: Catalog) {
    this.#json = json;
    this.#catalog = catalog;
  }

  @Route(nativeRoute('aurawell', 'callAurawellTool'))
  @Post('aurawell/:tool')
  async aurawell(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('tool') tool: string): Promise<void> {
    await this.#call(request, reply, { tool, source: 'aurawell' });
  }

  @Route(nativeRoute('stripe', 'callStripeTool'))
  @Post('stripe/:tool')
  async stripe(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('tool') tool: string): Promise<void> {
    await this.#call(request, reply, { tool, source: 'stripe' });
  }

  @Route(nativeRoute('memotree', 'callMemotreeTool'))
  @Post('memotree/:tool')
  async memotree(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('tool') tool: string): Promise<void> {
    await this.#call(request, reply, { tool, source: 'memotree' });
  }

  async #call(request: FastifyRequest, reply: FastifyReply, { tool, source }: { tool: string; source: NativeSource }): Promise<void> {
    const { input, debug, traceId } = parametersInBody(request.body);
    adoptTraceId(request, traceId);
    const shape = nativeShapes[source];
    await this.#json.call(request, reply, {
      tool,
      input,
      options: optionsOf(request, { debug }),
      source,
      ...(shape && { shape: ({ outcome, facts }) => shape(nativeOutcome(outcome, this.#catalog.find(facts.toolName))) }),
    });
  }
}

function nativeRoute(source: NativeSource, id: string): RouteFacts {
  return {
    errors: source,
    toolParameter: 'tool',
    docs: {
      id,
      summary: `Call a tool of the source document ${source}, answered in its own keys`,
      tag: 'calls',
      parameters: [['path', 'tool', 'Name or alias.']],
      body: { type: 'object' },
    },
  };
}
