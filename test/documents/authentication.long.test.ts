// docs/authentication.md says what the code does, and its commands work.
import { mkdirSync, mkdtempDisposableSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Catalog, scopes, tools, userScopes } from '#lib/contracts';
import { startSystem, startTimeoutMs } from '#lib/testing';
import { tokenClaims } from '../../apps/gateway/src/callers/tokens.js';
import { readMarkdown } from './markdown.js';
import { ShellSamples } from './shell-samples.js';

const file = 'docs/authentication.md';
const text = readFileSync(file, 'utf8');
/** The rows of the table below this heading row, without the marks of code. */
const table = (heading: string): readonly (readonly string[])[] => {
  const [, rest = ''] = text.split(`${heading}\n`);
  const rows = rest.split('\n').slice(1);
  return rows
    .slice(
      0,
      rows.findIndex((row) => !row.startsWith('|')),
    )
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.replaceAll('`', '').trim()),
    );
};

test('the scopes are those of the code', () => {
  expect(table('| scope | what it allows |')).toEqual(Object.entries(scopes));
  expect(text).toContain(`An ordinary user has \`${userScopes[0]}\`, \`${userScopes[1]}\` and \`${userScopes[2]}\`.`);
  expect(userScopes).toHaveLength(3);
});

test('the tools that need more are those whose contracts say so', () => {
  const needing = new Catalog(tools).listed.flatMap(({ name, scopes: needed = [], subject }) => {
    const forOthers = subject ? [`${subject.anyScope} for another than the caller's own ${subject.param}`] : [];
    const all = [...needed, ...forOthers];
    return all.length > 0 ? [[name, all.join(', ')]] : [];
  });
  expect(table('| tool | scopes |')).toEqual(needing);
});

test('the claims are those that are read, and no more are needed than it says', () => {
  const rows = table('| claim | | meaning |').filter(([name = '']) => !['iss', 'aud'].includes(name));
  expect(rows.map(([name = '']) => name).toSorted()).toEqual(Object.keys(tokenClaims.shape).toSorted());
  const required = rows.filter(([, need]) => need === 'required').map(([name = '']) => name);
  const missing = tokenClaims.safeParse({}).error?.issues.map(({ path }) => path.join('.'));
  expect(missing?.toSorted()).toEqual(required.toSorted());
});

describe('its commands', () => {
  const started = new AsyncDisposableStack();
  const folder = started.adopt(mkdtempDisposableSync(join(tmpdir(), 'invoq-authentication-')), (made) => made[Symbol.dispose]());
  let shell: ShellSamples;

  beforeAll(async () => {
    const system = started.use(await startSystem({}));
    const [key, adminKey] = [await system.tenant.key({}), await system.tenant.key({ userId: null, tier: 'vip', scopes: ['*'] })];
    for (const entry of readdirSync('.').filter((name) => name !== '.data'))
      symlinkSync(join(process.cwd(), entry), join(folder.path, entry));
    mkdirSync(join(folder.path, '.data'));
    writeFileSync(join(folder.path, '.data/dev.env'), '');
    const env = { INVOQ_URL: system.gateway.url, INVOQ_API_KEY: key, INVOQ_ADMIN_KEY: adminKey };
    shell = new ShellSamples(folder.path, {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: process.env['HOME'],
      ...env,
    });
  }, startTimeoutMs);
  afterAll(() => started.disposeAsync());

  test('make keys, speak for a user, and end a key within a second', async () => {
    const blocks = readMarkdown(file).blocks.filter(({ language, notRun }) => language === 'sh' && notRun === null);
    const outputs: string[] = [];
    for (const block of blocks) for (const { output } of await shell.run(block)) outputs.push(output);
    expect(outputs[0]).toMatch(/^invoq_\w+\n$/);
    expect(JSON.parse(outputs[1] ?? '')).toMatchObject({ tenant_id: 'acme', user_id: 'alice', key: expect.stringMatching(/^invoq_/) });
    expect(outputs[2]).toMatch(/^invoq_\w+\n$/);
    expect(JSON.parse(outputs[3] ?? '')).toMatchObject({ success: true, data: { user_id: 'user_001' } });
    expect(JSON.parse(outputs.at(-1) ?? '')).toMatchObject({ success: false, error: { code: 'UNAUTHORIZED' } });
  }, 300_000);
});
