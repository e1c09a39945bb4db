import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Catalog } from '#lib/contracts';
import { sendTagged } from '../doors/tagged.js';
import { openApiDocument } from './openapi.js';
import { docsPage } from './page.js';

/** What the gateway offers, for machines and for people; both are made from the contracts as they are now. */
@Controller()
export class DocsController {
  readonly #catalog: Catalog;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  @Get('openapi.json')
  openapi(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendTagged(request, reply, { type: 'application/json; charset=utf-8', text: JSON.stringify(openApiDocument(this.#catalog.listed)) });
  }

  @Get('docs')
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    void reply.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'");
    sendTagged(request, reply, { type: 'text/html; charset=utf-8', text: docsPage(this.#catalog.listed) });
  }
}
