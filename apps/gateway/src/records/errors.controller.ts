import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { errorsQuery, parseOrRefuse, textIn, type ErrorKind, type ErrorsPage, type Language } from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { languageOf } from '../http/language.js';
import { queryOf } from '../http/query.js';
import { Route } from '../http/route.js';
import { CallErrors } from './call-errors.js';

/** What ended with an error, for administrators: of their own tenant; with the scope `admin` of all. */
@Controller('errors')
export class ErrorsController {
  constructor(private readonly errors: CallErrors) {}

  @Route({
    access: 'tenant:admin',
    points: 20,
    docs: {
      id: 'listErrors',
      summary:
        'Kinds of error with their counts, a series and samples, refusals at the gateway included; by the minute within the last 24 hours, by the day before',
      tag: 'callers',
      parameters: [
        ['query', 'scope', "tenant: errors of the caller's own tenant, which is the default; all, with the scope admin: of every tenant."],
        ['query', 'tenant', 'With scope=all: only errors of this tenant.'],
        ['query', 'tool', 'Only errors of this tool.'],
        ['query', 'code', "Only errors with this code: a canonical one, or the tool's own."],
        [
          'query',
          'cause',
          'caller: only those for what was asked for, or how often; system: only faults of Invoq, of tools, or behind them.',
        ],
        ['query', 'from', 'At this time or after, ISO 8601; an hour before `to` by default, at most 366 days.'],
        ['query', 'to', 'Before this time; now by default.'],
        ['query', 'cursor', 'next_cursor of the page before.'],
        ['query', 'limit', '1–1,000, 50 by default.'],
      ],
    },
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ErrorsPage> {
    const page = await this.errors.page(callerOf(request), parseOrRefuse(errorsQuery, queryOf(request)));
    const language = languageOf(request);
    return language === 'en' ? page : { ...page, errors: page.errors.map((kind) => kindIn(language, kind)) };
  }
}

/** Kinds are counted by what they say in English. */
function kindIn(language: Language, kind: ErrorKind): ErrorKind {
  const told = (message: string | null): string | null => message && textIn(language, message);
  return { ...kind, message: told(kind.message), samples: kind.samples.map((sample) => ({ ...sample, message: told(sample.message) })) };
}
