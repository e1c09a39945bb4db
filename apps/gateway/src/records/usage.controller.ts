import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Usage } from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { Route } from '../http/route.js';
import { UsageReader } from './usage.js';

@Controller('usage')
export class UsageController {
  constructor(private readonly usage: UsageReader) {}

  @Route({
    points: 5,
    docs: {
      id: 'getUsage',
      summary: 'What the caller has used: calls of the last 7 days, conversations and tokens of today, and its limits',
      tag: 'callers',
    },
  })
  @Get()
  async read(@Req() request: FastifyRequest): Promise<Usage> {
    return this.usage.of(callerOf(request));
  }
}
