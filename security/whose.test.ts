import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { PartitionKeys, RedisKeys } from '#lib/transport';
import { fixedCases } from './cases/index.js';
import { isMeant } from './options.js';
import { routeAttacks } from './routes/attacks.js';
import { routeUses } from './routes/route-uses.js';
import { redisNames, tables, type Stored } from './whose.js';

const routeCases = routeAttacks.flatMap(({ name, ...rest }) =>
  Object.keys(routeUses).map((route) => ({ ...rest, name: name.replace('{route}', route) })),
);
const cases = [...fixedCases, ...routeCases];

/** The models of the schema with their fields. */
const models = new Map(
  globSync('prisma/schema/*.prisma')
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/^model (\w+) \{([^}]*)\}/gm)])
    .map(([, name = '', body = '']) => [name, [...body.matchAll(/^ {2}(\w+) +\w/gm)].map(([, field = '']) => field)]),
);
/** The methods of RedisKeys with their parameters. */
const source = globSync('libs/transport/src/redis/*-keys.ts')
  .map((file) => readFileSync(file, 'utf8'))
  .join('');
const names = new Map(
  [PartitionKeys, RedisKeys]
    .flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype))
    .filter((name) => name !== 'constructor')
    .map((name) => {
      const parameters = new RegExp(`^ {2}(?:get )?${name}\\(([^)]*)\\)`, 'm').exec(source)?.[1] ?? '';
      return [name, [...parameters.matchAll(/(\w+)\??:/g)].map(([, parameter = '']) => parameter)];
    }),
);

test('everything that is stored has an owner here, and nothing else has', () => {
  expect([models.size > 25, names.size > 40]).toEqual([true, true]);
  expect(Object.keys(tables).toSorted()).toEqual([...models.keys()].toSorted());
  expect(Object.keys(redisNames).toSorted()).toEqual([...names.keys()].toSorted());
});

describe.each([
  ['the schema', tables, models],
  ['Redis', redisNames, names],
] as const)('in %s', (_where, stored, parts) => {
  test.each(Object.entries(stored))('%s is told apart by what it has', (name, { by }: Stored) => {
    if (by !== '') expect([...(parts.get(name) ?? []), ...parts.keys()]).toContain(by);
  });

  const asked = Object.entries(stored).flatMap(([name, { asked: by }]) =>
    typeof by === 'string' ? [] : by.map((part) => [name, part] as const),
  );
  test.each(asked)('%s is asked for by another in "%s"', (_name, part) => {
    expect(cases.filter((one) => isMeant(one, [part])).map(({ name }) => name)).not.toEqual([]);
  });

  test('nothing of a tenant or a user goes without such a case, unless it says why', () => {
    const silent = Object.entries(stored).filter(([, { of, asked: by }]) => (of === 'user' || of === 'tenant') && typeof by === 'string');
    expect(silent.map(([name]) => name)).toEqual(stored === tables ? ['MemotreeEffect'] : ['held']);
  });
});

test('a model that says whose it is has a column for it: none of a tenant is known by its name alone', () => {
  const owned = Object.entries(tables).filter(([, { of }]) => of !== 'nobody');
  /** Whether a chain of columns leads from a model to its tenant. */
  const hasTenant = (name: string, depth = 0): boolean => {
    const fields = models.get(name) ?? [];
    if (fields.includes('tenantId')) return true;
    const next = [...models.keys()].filter((other) => fields.some((field) => ownerOf[field] === other));
    return depth < 5 && next.some((other) => hasTenant(other, depth + 1));
  };
  expect(owned.filter(([name]) => !hasTenant(name)).map(([name]) => name)).toEqual([
    // By the id of the invocation.
    'MemotreeEffect',
    // The name of a space is that of a collection or a layer.
    'RetrievalSpace',
    'RetrievalTerm',
    'RetrievalUnit',
    'RetrievalPosting',
  ]);
});

/** The columns that lead to another model. */
const ownerOf: Readonly<Record<string, string>> = {
  batchId: 'Batch',
  collectionId: 'KnowledgeCollection',
  documentId: 'KnowledgeDocument',
  workspaceId: 'MemotreeWorkspace',
  layerId: 'MemotreeLayer',
  sessionId: 'MemotreeSession',
  conversationId: 'Conversation',
};
