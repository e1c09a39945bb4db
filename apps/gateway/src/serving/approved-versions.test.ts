import { beforeEach, describe, expect, test } from '@jest/globals';
import { ApprovedVersions } from './approved-versions.js';
import type { ServedRow, ServedVersion } from './served-row.js';
import type { Removed } from './served-tools.js';
import { announced } from './test-announcer.js';

let rows: ServedRow[];
let removals: Removed[];
let read: string[];
let approved: ApprovedVersions;
const at = (second: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, second));
const row = (name: string, more: Partial<ServedRow> = {}): ServedRow => ({
  tenantId: 'acme',
  domain: 'sales',
  name,
  version: '1.0.0',
  contract: announced({ name }),
  fingerprint: `of ${name}`,
  digest: null,
  warnings: [],
  bytes: 1,
  announcedBy: 'k',
  announcedAt: at(0),
  approvedBy: 'k',
  approvedAt: at(0),
  ...more,
});
const store = {
  changedSince: async (since: Date | null) => {
    read.push(since ? 'changes' : 'all');
    return rows.filter(({ announcedAt, approvedAt }) => since === null || announcedAt > since || (approvedAt ?? since) > since);
  },
  removedSince: async (since: Date) => removals.filter(({ removedAt }) => removedAt > since),
  approvedCount: async () => rows.length,
  contractsOf: async (versions: readonly ServedVersion[]) => {
    read.push(...versions.map(({ name }) => name));
    return rows.filter(({ name, tenantId }) => versions.some((one) => one.name === name && one.tenantId === tenantId));
  },
};

beforeEach(async () => {
  [rows, removals, read] = [[row('a'), row('b', { tenantId: 'bolt' })], [], []];
  approved = new ApprovedVersions(store, 1);
  await approved.read(false);
  read.length = 0;
});

describe('the approved versions', () => {
  test('are read once, and later what has changed alone', async () => {
    expect(await approved.read(false)).toEqual(new Set());
    rows.push(row('c', { announcedAt: at(100), approvedAt: at(100) }));
    expect(await approved.read(false)).toEqual(new Set(['acme']));
    expect(read).toEqual(['changes', 'changes', 'c']);
  });

  test('that were removed are read as a change, and nothing else is read for them', async () => {
    const [removed] = rows.splice(0, 1);
    removals.push({ tenantId: 'acme', name: 'a', version: '1.0.0', removedAt: at(100) });
    expect(await approved.read(false)).toEqual(new Set(['acme']));
    expect([...approved.ofTenant('acme').keys()]).toEqual([]);
    expect(await approved.read(false)).toEqual(new Set());
    // Approved again, its removal is gone.
    removals.pop();
    if (removed) rows.push({ ...removed, approvedAt: at(110) });
    expect(await approved.read(false)).toEqual(new Set(['acme']));
    expect(read).toEqual(['changes', 'changes', 'changes', 'a']);
  });

  test('that were removed without a word are noticed by their number, and those of other tenants stay the same objects', async () => {
    const [kept] = approved.contractsOf('bolt', () => true);
    rows.shift();
    expect(await approved.read(false)).toEqual(new Set(['acme']));
    expect([...approved.ofTenant('acme').keys()]).toEqual([]);
    expect(approved.contractsOf('bolt', () => true)[0]).toBe(kept);
    expect(read).toEqual(['changes', 'all']);
  });

  test('that are announced by a clock that is behind are found at the next look at everything', async () => {
    rows[0] = row('a', { fingerprint: 'other', announcedAt: new Date(0), approvedAt: new Date(0) });
    expect(await approved.read(false)).toEqual(new Set());
    expect(await approved.read(true)).toEqual(new Set(['acme']));
  });

  test('of an older gateway, without a fingerprint, are known by their contract', async () => {
    rows.push(row('c', { fingerprint: null, announcedAt: at(100) }));
    await approved.read(false);
    expect(approved.find({ ...find('c') })?.announced).toMatch(/^[0-9a-f]{64}$/);
    expect(await approved.read(true)).toEqual(new Set());
  });

  test('are made when their tenant needs them, a thousand of another for nobody', async () => {
    for (let n = 0; n < 1_000; n++) rows.push(row(`many_${n}`, { tenantId: 'busy', announcedAt: at(100) }));
    await approved.read(false);
    await approved.build('acme');
    expect([approved.areBuilt('acme'), approved.areBuilt('busy'), approved.areBuilt('bolt')]).toEqual([true, false, false]);
    expect([...approved.ofTenant('busy').values()].filter(({ isBuilt }) => isBuilt)).toEqual([]);
  });
});

function find(name: string) {
  const [version] = [...approved.ofTenant('acme').values()].filter(({ served }) => served.name === name);
  return version?.served ?? { queue: '', name, version: '' };
}
