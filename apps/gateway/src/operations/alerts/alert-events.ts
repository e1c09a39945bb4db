import type { OutboxEvent } from '../../outbox/outbox-event.js';

const hourMs = 3_600_000;

/** Calls of a tool of a tenant in a span of time. */
export interface ToolFailures {
  readonly tenantId: string;
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  /** The code that most of them ended with. */
  readonly code: string | null;
}

/** Once an hour while it lasts. @param at epoch ms */
export function failingEvent({ tenantId, tool, calls, failed, code }: ToolFailures, at: number, spanMs: number): OutboxEvent {
  return {
    tenantId,
    type: 'tool.failing',
    key: `${tool} ${Math.floor(at / hourMs)}`,
    at,
    data: {
      tool_name: tool,
      tenant_id: tenantId,
      calls,
      failed,
      error_rate: Math.round((failed / calls) * 1_000) / 1_000,
      code,
      since: new Date(at - spanMs).toISOString(),
    },
    links: { history: `/history?scope=tenant&tool=${encodeURIComponent(tool)}&state=failed`, pauses: '/pauses' },
  };
}

/** Once an hour while it lasts. @param since when a worker was last there, epoch ms */
export function unservedEvent(tenantId: string, { domain, since, at }: { domain: string; since: number; at: number }): OutboxEvent {
  return {
    tenantId,
    type: 'domain.without_workers',
    key: `${domain} ${Math.floor(at / hourMs)}`,
    at,
    data: { domain, tenant_id: tenantId, since: new Date(since).toISOString() },
    links: { workers: '/admin/workers' },
  };
}
