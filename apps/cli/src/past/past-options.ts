// Options that the commands on the past have in common.
import { UsageError } from '#lib/command-line';
import { oneOf } from '../command.js';
import { connect } from '../connect.js';

const scopes = ['mine', 'tenant', 'all'] as const;

export const callOptions = {
  scope: {
    type: 'string',
    value: '<whose>',
    help: `one of ${scopes.join(', ')} (default: mine); tenant needs the scope tenant:admin, all needs admin`,
  },
  tenant: { type: 'string', value: '<name>', help: 'of this tenant alone; needs the scope admin' },
  tool: { type: 'string', value: '<name>', help: 'only the calls of one tool' },
  user: { type: 'string', value: '<id>', help: 'only the calls of one user' },
} as const;

export const callNotes = 'With --scope tenant or all, or --tenant, the key is INVOQ_ADMIN_KEY, else INVOQ_API_KEY.';

interface Whose {
  readonly scope?: string | undefined;
  readonly tenant?: string | undefined;
}

/** What `--scope` and `--tenant` mean, and the client whose key may read it. Throws UsageError. */
export function whoseCalls({ scope, tenant }: Whose) {
  const chosen = scopeOf({ scope, tenant }, scopes);
  return { invoq: connect(chosen === 'mine' ? 'user' : 'admin'), whose: { scope: chosen, tenant } };
}

/** The first of the names where none is given, all where a tenant is. Throws UsageError. */
export function scopeOf<Name extends string>({ scope, tenant }: Whose, [first, ...others]: readonly [Name, ...Name[]]): Name | 'all' {
  if (tenant === undefined) return oneOf('--scope', scope, [first, ...others]) ?? first;
  if (scope !== undefined && scope !== 'all') throw new UsageError(`--tenant is one of all tenants: it does not go with --scope ${scope}`);
  return 'all';
}

/** A time of an option: a day means its beginning in UTC. The gateway says what is wrong with any other. */
export function momentOf(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
}
