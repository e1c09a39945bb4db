import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { auditActions, auditQuery, parseOrRefuse, type AuditPage } from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { queryOf } from '../http/query.js';
import { Route } from '../http/route.js';
import { AuditTrail } from './audit-trail.js';

/** The audit of keys, approvals and outside servers, for administrators: of their own tenant; with the scope `admin` of all. */
@Controller('audit')
export class AuditController {
  constructor(private readonly trail: AuditTrail) {}

  @Route({
    access: 'tenant:admin',
    points: 5,
    docs: {
      id: 'listAudit',
      summary: 'Changes of keys, of approved tools and of outside servers: who, when, what; the latest come first',
      tag: 'callers',
      parameters: [
        [
          'query',
          'scope',
          "tenant: changes of the caller's own tenant, which is the default; all, with the scope admin: of every tenant, and of outside servers for all, which belong to none.",
        ],
        ['query', 'tenant', 'With scope=all: only changes of this tenant.'],
        ['query', 'action', `Only these: ${auditActions.join(', ')}.`],
        ['query', 'actor', 'Only what this principal asked for: tenant/user, or tenant/key:id.'],
        ['query', 'subject', 'Only changes of this: the id of a key, a tool as tenant, name and version, a server as tenant/name.'],
        ['query', 'from', 'At this time or after, ISO 8601.'],
        ['query', 'to', 'Before this time.'],
        ['query', 'cursor', 'next_cursor of the page before.'],
        ['query', 'limit', '1–1,000, 100 by default.'],
      ],
    },
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<AuditPage> {
    return this.trail.page(callerOf(request), parseOrRefuse(auditQuery, queryOf(request)));
  }
}
