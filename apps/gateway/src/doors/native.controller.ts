import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Catalog, nativeOutcome, nativeShapes, nativeSourceOf } from '#lib/contracts';
import { adoptTraceId, optionsOf, parametersInBody } from './call-request.js';
import { JsonDoor } from './json-door.js';

/** The source documents' own routes: the same pipeline, answered in exactly their keys (C-01). */
@Controller()
export class NativeController {
  readonly #json: JsonDoor;
  readonly #catalog: Catalog;

  constructor(json: JsonDoor, catalog: Catalog) {
    this.#json = json;
    this.#catalog = catalog;
  }

  @Post(Object.keys(nativeShapes).map((source) => `${source}/:tool`))
  async call(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('tool') tool: string): Promise<void> {
    const { input, debug, traceId } = parametersInBody(request.body);
    adoptTraceId(request, traceId);
    const source = nativeSourceOf(request.url);
    const shape = source && nativeShapes[source];
    await this.#json.call(request, reply, {
      tool,
      input,
      options: optionsOf(request, { debug }),
      ...(source && { source }),
      ...(shape && { shape: ({ outcome, facts }) => shape(nativeOutcome(outcome, this.#catalog.find(facts.toolName))) }),
    });
  }
}
