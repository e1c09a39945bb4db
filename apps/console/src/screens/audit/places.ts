import type { AuditEvent } from '#lib/contracts';
import { tableOf } from '../../data/audited-table.js';

/** A screen of the console that shows what an entry speaks of. */
export type Place =
  | {
      readonly kind: 'list';
      readonly to: '/keys' | '/servers' | '/policies' | '/budgets' | '/pauses' | '/flows' | '/providers' | '/connections';
    }
  | { readonly kind: 'tool'; readonly name: string }
  | { readonly kind: 'schedule' | 'webhook' | 'batch' | 'request' | 'call'; readonly id: string };

const lists = {
  api_key: '/keys',
  mcp_server: '/servers',
  policy: '/policies',
  budget: '/budgets',
  pause: '/pauses',
  flow: '/flows',
  provider: '/providers',
  connection: '/connections',
} as const;

/** Where to look further. What was deleted has no screen of its own any more. */
export function placesOf(event: Pick<AuditEvent, 'action' | 'subject' | 'facts'>): readonly Place[] {
  const { action, facts } = event;
  const call = textOf(facts['job_id']);
  const calls: readonly Place[] = call === null ? [] : [{ kind: 'call', id: call }];
  const own = action.endsWith('.delete') ? listOf(tableOf(event)) : ownPlaceOf(event);
  return own === null ? calls : [own, ...calls];
}

function ownPlaceOf(event: Pick<AuditEvent, 'action' | 'subject' | 'facts'>): Place | null {
  const { subject, facts } = event;
  const [first = ''] = subject.split(' ');
  switch (tableOf(event)) {
    case 'served_tool': {
      const name = textOf(facts['name']);
      return name === null ? null : { kind: 'tool', name };
    }
    case 'schedule':
    case 'schedule_run':
      return { kind: 'schedule', id: first };
    case 'webhook':
    case 'webhook_delivery':
      return { kind: 'webhook', id: first };
    case 'batch':
      return { kind: 'batch', id: first };
    case 'input_request':
      return { kind: 'request', id: first };
    default:
      return listOf(tableOf(event));
  }
}

function listOf(table: string): Place | null {
  const to = Object.entries(lists).find(([name]) => name === table)?.[1];
  return to === undefined ? null : { kind: 'list', to };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
