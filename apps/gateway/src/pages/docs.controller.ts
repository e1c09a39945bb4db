import { readFile } from 'node:fs/promises';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { KeptTexts } from '../http/kept-texts.js';
import { sendTagged, tagged } from '../http/tagged.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { RouteTable } from '../http/route-table.js';
import { Route } from '../http/route.js';
import { openApiDocument } from './openapi.js';

/** What the gateway offers, for programs, made from its contracts and routes. */
@Controller()
export class DocsController {
  readonly #texts = new KeptTexts();

  constructor(
    private readonly tools: ToolDirectory,
    private readonly routes: RouteTable,
  ) {}

  @Route({ linkedFromPage: true, points: 10, docs: { id: 'getOpenApi', summary: 'This document', tag: 'discovery' } })
  @Get('openapi.json')
  openapi(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const { tools, listed } = this.tools.of(callerOf(request)).catalog;
    const document = () => JSON.stringify(openApiDocument(listed, this.routes.documented()));
    sendTagged(request, reply, this.#texts.of(tools, 'openapi', document));
  }

  /** How to move from one major version of a tool to the next (TU-76). */
  @Route({
    challenge: 'basic',
    docs: {
      id: 'getMigrationGuide',
      summary: 'How to move to the next major version of a tool',
      tag: 'discovery',
      parameters: [['path', 'page', 'Name of the guide.']],
      media: 'text/markdown',
    },
  })
  @Get('docs/migrations/:page')
  async migration(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('page') page: string): Promise<void> {
    const text = /^[\w.-]+$/.test(page) ? await readFile(`docs/migrations/${page}.md`, 'utf8').catch(() => null) : null;
    if (text === null) throw new Refusal('RESOURCE_NOT_FOUND', `There is no migration guide ${page.slice(0, 64)}`);
    sendTagged(request, reply, tagged(text, 'text/markdown; charset=utf-8'));
  }
}
