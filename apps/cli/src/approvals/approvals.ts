// Tools that workers of tenants have announced, and the approval of one version as it was looked at.
import type { ServedToolRow } from '#lib/client';
import { CommandError, print, printError, UsageError } from '#lib/command-line';
import { defineCommand } from '../command.js';
import { connect } from '../connect.js';
import { contractDiff } from './contract-diff.js';

const notes = 'Needs the key of an administrator: INVOQ_ADMIN_KEY, else INVOQ_API_KEY.';
const tenantOption = { type: 'string', value: '<id>', help: 'only the tools of this tenant' } as const;
/** Of a fingerprint, as people copy it. */
const shownDigits = 12;

export const listApprovals = defineCommand({
  options: {
    tenant: tenantOption,
    all: { type: 'boolean', help: 'those that are approved too' },
    json: { type: 'boolean', help: 'with their contracts, as JSON' },
  },
  notes: `Lists what waits for an approval: the tenant, the tool, its state, who announced it, and the fingerprint of its contract.\n\n${notes}`,
  async run({ values: { tenant, all, json } }) {
    const rows = (await connect('admin').servedTools({ tenantId: tenant })).filter(({ state }) => all || state === 'pending');
    if (json) return print(JSON.stringify(rows, null, 2));
    for (const row of rows) {
      const tool = `${row.tenant_id}/${row.domain}  ${idOf(row)}`;
      print(`${tool.padEnd(50)} ${row.state.padEnd(8)} ${row.announced_by}  ${row.announced_at}  ${digitsOf(row)}`);
    }
    if (rows.length === 0) printError('Nothing waits for an approval.');
  },
});

export const approve = defineCommand({
  positionals: ['<tool@version>'],
  options: {
    tenant: { ...tenantOption, help: 'whose tool it is, where several tenants have one of this name' },
    fingerprint: { type: 'string', value: '<digits>', help: 'of the contract that you have read; without it nothing is approved' },
  },
  notes: `Shows what the contract changes against the version that is approved, then approves it by the fingerprint that is printed.\n\n${notes}`,
  async run({ values: { tenant, fingerprint }, positionals: [id = ''] }) {
    const invoq = connect('admin');
    const rows = await invoq.servedTools({ tenantId: tenant });
    const row = oneOf(rows, id);
    if (fingerprint === undefined) return show(row, approvedBefore(rows, row));
    if (!/^[0-9a-f]{8,64}$/.test(fingerprint))
      throw new UsageError('--fingerprint must be 8 to 64 digits 0-9 and a-f, as they were printed');
    if (!row.fingerprint.startsWith(fingerprint))
      throw new CommandError(`${idOf(row)} is another contract now than the one with this fingerprint. Read it again: invoq approve ${id}`);
    const { tenant_id, name, version, fingerprint: whole } = row;
    const { state } = await invoq.approveTool({ tenant_id, name, version, fingerprint: whole });
    print(`Approved ${idOf(row)} of ${tenant_id} (${state})`);
  },
});

function show(row: ServedToolRow, before: ServedToolRow | null): void {
  printError(
    before ? `${idOf(row)} of ${row.tenant_id}, against ${before.version}:` : `${idOf(row)} of ${row.tenant_id}, a first version:`,
  );
  for (const line of contractDiff(before && before.contract, row.contract)) print(line);
  const whose = `${idOf(row)} --tenant ${row.tenant_id}`;
  printError(row.state === 'pending' ? `Approve it: invoq approve ${whose} --fingerprint ${digitsOf(row)}` : `It is ${row.state} already.`);
}

/** Throws CommandError for none and for several. */
function oneOf(rows: readonly ServedToolRow[], id: string): ServedToolRow {
  const found = rows.filter((row) => idOf(row) === id || row.name === id);
  const [row, ...others] = found;
  if (row && others.length === 0) return row;
  if (found.length === 0) throw new CommandError(`There is no ${id}. invoq approvals --all lists what there is`);
  throw new CommandError(
    `${id} is one of several: ${found.map((one) => `${idOf(one)} of ${one.tenant_id}`).join(', ')}. Name the version, and --tenant`,
  );
}

/** The newest version that is approved, for callers of which this one is a change. */
function approvedBefore(rows: readonly ServedToolRow[], { tenant_id, name, version }: ServedToolRow): ServedToolRow | null {
  const others = rows.filter((row) => row.tenant_id === tenant_id && row.name === name && row.version !== version && row.approved_at);
  return others.toSorted((a, b) => a.version.localeCompare(b.version, 'en', { numeric: true })).at(-1) ?? null;
}

function idOf({ name, version }: ServedToolRow): string {
  return `${name}@${version}`;
}

function digitsOf({ fingerprint }: ServedToolRow): string {
  return fingerprint.slice(0, shownDigits);
}
