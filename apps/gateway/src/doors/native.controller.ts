import { Controller, Param, Post, Req, Res, type Type } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Catalog, nativeOutcome, nativeShapes } from '#lib/contracts';
import { parametersInBody } from '../calls/call-body.js';
import { adoptTraceId, optionsOf } from './call-request.js';
import { Route } from '../http/route.js';
import { JsonDoor } from './json-door.js';

type NativeSource = keyof typeof nativeShapes;

/** The routes `POST /<source>/:tool`, one controller for each source document: the same pipeline, answered in exactly its keys (C-01). */
export const nativeControllers: readonly Type[] = Object.keys(nativeShapes).filter(isSource).map(nativeController);

function nativeController(source: NativeSource): Type {
  @Controller(source)
  class NativeController {
    readonly #json: JsonDoor;
    readonly #catalog: Catalog;

    constructor(json: JsonDoor, catalog: Catalog) {
      this.#json = json;
      this.#catalog = catalog;
    }

    @Route({
      errors: source,
      toolParameter: 'tool',
      points: 0,
      docs: {
        id: `call_tool_of_${source}`,
        summary: `Call a tool of the source document ${source}, answered in its own keys`,
        tag: 'calls',
        parameters: [['path', 'tool', 'Name or alias.']],
        body: { type: 'object' },
      },
    })
    @Post(':tool')
    async call(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('tool') tool: string): Promise<void> {
      const { input, debug, traceId } = parametersInBody(request.body);
      adoptTraceId(request, traceId);
      const shape = nativeShapes[source];
      await this.#json.call(request, reply, {
        tool,
        input,
        options: optionsOf(request, { debug }),
        isOfHead: debug === undefined && traceId === null,
        source,
        ...(shape && { shape: ({ outcome, facts }) => shape(nativeOutcome(outcome, this.#catalog.find(facts.toolName))) }),
      });
    }
  }
  return NativeController;
}

function isSource(name: string): name is NativeSource {
  return Object.hasOwn(nativeShapes, name);
}
