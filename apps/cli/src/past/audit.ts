import { print } from '#lib/command-line';
import { auditActions } from '#lib/contracts';
import { defineCommand, oneOf } from '../command.js';
import { connect } from '../connect.js';
import { momentOf, scopeOf } from './past-options.js';
import { limitOption, readPages } from './read-pages.js';
import { printTable } from './table.js';

const titles = ['at', 'action', 'subject', 'tenant', 'actor', 'changed'];

export const audit = defineCommand({
  options: {
    scope: {
      type: 'string',
      value: '<whose>',
      help: 'tenant: that of the key, the default; all, with the scope admin: with outside servers for all, which belong to none',
    },
    tenant: { type: 'string', value: '<name>', help: 'of this tenant alone' },
    action: { type: 'string', value: '<action>', help: `such as ${auditActions[0]}: what, and what was done to it` },
    actor: { type: 'string', value: '<principal>', help: 'only what this caller asked for: tenant/user, or tenant/key:id' },
    subject: { type: 'string', value: '<name>', help: 'only changes of this: the id of a key, a server as tenant/name' },
    from: { type: 'string', value: '<time>', help: 'at or after: a day of UTC, or ISO 8601 with an offset' },
    to: { type: 'string', value: '<time>', help: 'before' },
    limit: limitOption,
    json: { type: 'boolean', help: 'the changes as JSON, each with the row as it then was, without secrets' },
  },
  notes: `The latest come first. An actor in brackets is no caller: the name of the connection that made the change.
Actions: ${auditActions.join(' ')}

Needs the key of an administrator: INVOQ_ADMIN_KEY, else INVOQ_API_KEY.`,
  async run({ values: { scope, tenant, action, actor, subject, from, to, limit, json } }) {
    const filter = {
      scope: scopeOf({ scope, tenant }, ['tenant', 'all']),
      tenant,
      action: oneOf('--action', action, auditActions),
      actor,
      subject,
      from: momentOf(from),
      to: momentOf(to),
    };
    const invoq = connect('admin');
    const events = await readPages(limit, async (page) => {
      const { events: rows, pagination } = await invoq.audit({ ...filter, ...page });
      return { rows, next: pagination.next_cursor };
    });
    if (json) return print(JSON.stringify(events, null, 2));
    const rows = events.map((event) => [
      event.at,
      event.action,
      event.subject,
      event.tenant_id,
      event.actor ?? `[${event.application}]`,
      event.changed.join(','),
    ]);
    printTable(titles, rows);
  },
});
