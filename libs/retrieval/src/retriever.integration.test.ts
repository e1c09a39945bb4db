import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Pool } from 'pg';
import { hashedNgrams } from './embedding/hashed-ngrams.js';
import { moveUnits } from './keyword/move-units.js';
import { dropSpace, putUnits, removeUnits, type NewUnit } from './keyword/write-units.js';
import { listMatches } from './list-matches.js';
import { Retriever } from './retriever.js';
import { inTransaction } from './sql.js';
import { VectorIndex } from './vectors/vector-index.js';

const space = `test:${randomBytes(5).toString('hex')}`;
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 4 });
const vectors = new VectorIndex(pool, hashedNgrams());
const retriever = new Retriever({ pool, vectors });

const unit = (ref: string, title: string, text: string): NewUnit => ({
  ref,
  fields: [{ text: title, weight: 3, isHead: true }, { text }],
});

const units = [
  { ...unit('calcium', '补钙', '成年人每天需要约800毫克钙，牛奶和豆制品含钙丰富。Calcium from milk.'), labels: ['domain:nutrition'] },
  { ...unit('sleep', '睡眠与咖啡因', '咖啡因会延长入睡时间，下午两点以后不要喝咖啡。Caffeine delays sleep.'), labels: ['domain:sleep'] },
  { ...unit('payouts', 'Payouts', 'When payouts_enabled is false the account cannot receive money.'), labels: ['domain:stripe'] },
  { ...unit('protein', 'Protein', 'Protein builds muscle; beans and eggs hold protein.'), labels: ['domain:nutrition', 'tag:muscle'] },
  { ...unit('running', '跑步', '每周跑步三次，每次三十分钟，可以改善心肺功能。'), labels: ['domain:exercise'] },
];

async function put(into: string, given: readonly NewUnit[]): Promise<void> {
  const ids = await inTransaction(pool, (sql) => putUnits(sql, into, given));
  await vectors.put(new Map(given.map(({ ref, fields }) => [ids.get(ref) ?? 0, fields.map(({ text }) => text).join('\n')])));
}

async function refsFor(query: string, more: object = {}): Promise<readonly string[]> {
  return (await retriever.search({ spaces: [space], query, ...more })).hits.map(({ ref }) => ref);
}

beforeAll(() => put(space, units));
afterAll(async () => {
  await inTransaction(pool, (sql) => dropSpace(sql, space));
  await pool.end();
});

describe('a word is found however it is written', () => {
  const spellings = `${space}:spellings`;
  beforeAll(async () => {
    await put(spellings, [
      unit('traditional', '連線', '設定資料庫連線的逾時。'),
      unit('spaced', 'Scan', '骨 质 疏 松 症 的 预\n防'),
      unit('joined', 'Wifi', 'The wifi of the backend.'),
      unit('apart', 'Server', 'The front end calls a pipe line. Send an e-mail.'),
    ]);
    // As an older version wrote it.
    await put(`${spellings}:old`, [unit('old', '备份', '备份数据库')]);
    await pool.query(
      `UPDATE retrieval_term SET term = replace(replace(term, '备', '備'), '数据', '數據')
      WHERE space_id = (SELECT id FROM retrieval_space WHERE name = $1)`,
      [`${spellings}:old`],
    );
  });
  afterAll(() =>
    inTransaction(pool, async (sql) => {
      await dropSpace(sql, spellings);
      await dropSpace(sql, `${spellings}:old`);
    }),
  );

  test.each([
    ['资料库连线', 'traditional'],
    ['資料庫連線', 'traditional'],
    ['骨质疏松症', 'spaced'],
    ['骨質疏鬆症', 'spaced'],
    ['预防', 'spaced'],
    ['wi-fi', 'joined'],
    ['wi fi', 'joined'],
    ['back-end', 'joined'],
    ['back end', 'joined'],
    ['frontend', 'apart'],
    ['pipeline', 'apart'],
    ['email', 'apart'],
  ])('%s', async (query, ref) => {
    const { hits } = await retriever.search({ spaces: [spellings], query, legs: 'keyword' });
    expect(hits.map((hit) => hit.ref)).toContain(ref);
  });

  test.each(['备份', '備份', '数据', '數據'])('%s, in what an older version wrote', async (query) => {
    const { hits } = await retriever.search({ spaces: [`${spellings}:old`], query, legs: 'keyword' });
    expect(hits.map(({ ref }) => ref)).toEqual(['old']);
  });
});

describe('search', () => {
  test.each([
    ['咖啡 睡觉 入睡', 'sleep'],
    ['does caffeine delay sleeping?', 'sleep'],
    ['payouts_enabled', 'payouts'],
    ['ＰＲＯＴＥＩＮ', 'protein'],
    ['每天需要多少钙', 'calcium'],
    ['protien muscel', 'protein'],
    ['mucsle', 'protein'],
    ['protine', 'protein'],
  ])('%s finds %s first', async (query, ref) => {
    expect((await refsFor(query))[0]).toBe(ref);
  });

  test('gives confidences in order, with their parts', async () => {
    const { hits } = await retriever.search({ spaces: [space], query: '咖啡因 睡眠 protein' });
    expect(hits.length).toBeGreaterThan(1);
    for (const [at, { confidence, parts }] of hits.entries()) {
      expect(confidence).toBeGreaterThanOrEqual(hits[at + 1]?.confidence ?? 0);
      for (const part of Object.values(parts)) expect(part >= 0 && part <= 1).toBe(true);
    }
  });

  test('tells what it read a slip as', async () => {
    expect((await retriever.search({ spaces: [space], query: 'protien' })).warnings).toEqual([expect.stringContaining('protein')]);
  });

  test('filters by labels in both legs', async () => {
    expect(await refsFor('protein 钙 睡眠', { filter: { all: ['domain:nutrition'] } })).toEqual(
      expect.arrayContaining(['protein', 'calcium']),
    );
    expect(await refsFor('睡眠', { filter: { anyOf: [['domain:exercise', 'tag:muscle']] }, legs: 'keyword' })).toEqual([]);
    expect(await refsFor('protein', { filter: { none: ['tag:muscle'] }, legs: 'keyword' })).toEqual([]);
  });

  test('takes anything as plain text', async () => {
    for (const query of ["'; DROP TABLE retrieval_unit; --", 'a & b | !c:*', '%', '\\', '((', '"""', '🙂', '<->'])
      await expect(retriever.search({ spaces: [space], query })).resolves.toMatchObject({ hits: expect.any(Array) });
    expect(await refsFor('protein')).toContain('protein');
  });

  test('looks into its spaces alone', async () => {
    expect((await retriever.search({ spaces: ['test:nowhere'], query: 'protein' })).hits).toEqual([]);
  });

  test('answers by keywords with a warning when the provider fails', async () => {
    const broken = { ...hashedNgrams(), name: 'broken', embed: () => Promise.reject(new Error('the provider is away')) };
    const { hits, warnings } = await new Retriever({ pool, vectors: new VectorIndex(pool, broken) }).search({
      spaces: [space],
      query: 'protein',
    });
    expect(hits[0]?.ref).toBe('protein');
    expect(warnings).toEqual([expect.stringContaining('keywords alone: the provider is away')]);
  });

  test('does not wait longer for vectors than it may', async () => {
    const slow = { ...hashedNgrams(), name: 'slow', embed: () => new Promise<never>(() => undefined) };
    // The provider never answers, so this ends only if the search does not wait for it.
    const { hits, warnings } = await new Retriever({ pool, vectors: new VectorIndex(pool, slow) }).search({
      spaces: [space],
      query: 'protein',
      vectorBudgetMs: 50,
    });
    expect([hits[0]?.ref, warnings]).toEqual(['protein', [expect.stringContaining('keywords alone')]]);
  });
});

describe('the index', () => {
  test('holds after replacing and removing what a fresh one would hold', async () => {
    const [mine, fresh] = [`${space}:changed`, `${space}:fresh`];
    await put(mine, [unit('a', 'Old title', '旧的内容 old words'), unit('b', 'Kept', 'kept words'), unit('c', 'Gone', 'gone words')]);
    await put(mine, [unit('a', 'New title', '新的内容 new words')]);
    await inTransaction(pool, (sql) => removeUnits(sql, mine, ['c', 'never there']));
    await put(fresh, [unit('b', 'Kept', 'kept words'), unit('a', 'New title', '新的内容 new words')]);
    expect(await state(mine)).toEqual(await state(fresh));
    await inTransaction(pool, async (sql) => {
      await dropSpace(sql, mine);
      await dropSpace(sql, fresh);
    });
    expect(await state(mine)).toEqual([]);
  });

  test('holds units that were moved into it as if they had been put there, vectors and all', async () => {
    const [draft, main, fresh] = [`${space}:draft`, `${space}:main`, `${space}:moved`];
    const moved = [unit('a', 'New title', '新的内容 new words'), unit('d', 'Added', 'added words')];
    await put(main, [unit('a', 'Old title', '旧的内容 old words'), unit('b', 'Kept', 'kept words')]);
    await put(draft, [...moved, unit('c', 'Stays', 'stays in the draft')]);
    await put(fresh, [unit('b', 'Kept', 'kept words'), ...moved]);
    await inTransaction(pool, (sql) => moveUnits(sql, { from: draft, to: main, refs: ['a', 'd', 'never there'] }));
    expect(await state(main)).toEqual(await state(fresh));
    const [left] = await state(draft);
    expect(left).toMatchObject({ units: 1, terms: expect.not.objectContaining({ titl: expect.anything() }) });
    const found = async (name: string, query: string) => {
      const { hits } = await retriever.search({ spaces: [name], query });
      return hits.map(({ ref, parts }) => [ref, parts]);
    };
    for (const query of ['new title', '新的内容', 'words']) expect(await found(main, query)).toEqual(await found(fresh, query));
    expect(await found(draft, 'title')).toEqual([]);
    await inTransaction(pool, async (sql) => {
      for (const name of [draft, main, fresh]) await dropSpace(sql, name);
    });
  });

  async function state(name: string) {
    const { rows } = await pool.query(
      `SELECT s.units, s.total_length, (SELECT jsonb_object_agg(term, df) FROM retrieval_term t WHERE t.space_id = s.id AND df <> 0) AS terms,
         (SELECT count(*) FROM retrieval_posting p JOIN retrieval_term t ON t.id = p.term_id WHERE t.space_id = s.id) AS postings
       FROM retrieval_space s WHERE name = $1`,
      [name],
    );
    return rows;
  }
});

test('vectors get an index of neighbours once they are many, and are found with it', async () => {
  const mine = `${space}:many`;
  const many = new VectorIndex(pool, { ...hashedNgrams(16), name: mine });
  const table = `retrieval_vector_${(await many.model()).id}`;
  const indexes = async () =>
    (await pool.query('SELECT 1 FROM pg_indexes WHERE tablename = $1 AND indexdef LIKE $2', [table, '%hnsw%'])).rows.length;
  const fill = async (from: number, to: number) => {
    const units = Array.from({ length: to - from }, (_, at): NewUnit => ({ ref: `u${from + at}`, fields: [{ text: `word${from + at}` }] }));
    const ids = await inTransaction(pool, (sql) => putUnits(sql, mine, units));
    await many.put(new Map([...ids].map(([ref, id]) => [id, ref.replace('u', 'word')])));
  };
  await fill(0, 1_000);
  expect(await indexes()).toBe(0);
  await fill(1_000, 2_001);
  expect(await indexes()).toBe(1);
  const { hits } = await new Retriever({ pool, vectors: many }).search({ spaces: [mine], query: 'word7', legs: 'vector' });
  expect(hits.map(({ ref }) => ref)).toContain('u7');
  await inTransaction(pool, (sql) => dropSpace(sql, mine));
  await pool.query('DELETE FROM retrieval_model WHERE name = $1', [mine]);
  await pool.query(`DROP TABLE ${table}`);
});

describe('a list of matches', () => {
  test('has each whole once over its pages, whatever is added between them', async () => {
    const mine = `${space}:pages`;
    const guides = Array.from({ length: 25 }, (_, n): NewUnit[] => [
      { ref: `g${n}#1`, parent: `g${n}`, fields: [{ text: `guide ${'word '.repeat(n)}` }] },
      { ref: `g${n}#2`, parent: `g${n}`, fields: [{ text: `another guide part ${n}` }] },
    ]).flat();
    await inTransaction(pool, (sql) => putUnits(sql, mine, guides));
    const first = await listMatches(pool, { spaces: [mine], query: 'guide', offset: 0, limit: 10 });
    const seen = first.matches.map(({ whole }) => whole);
    for (const offset of [10, 20]) {
      await inTransaction(pool, (sql) => putUnits(sql, mine, [{ ref: `new${offset}`, fields: [{ text: 'guide guide guide' }] }]));
      const page = await listMatches(pool, { spaces: [mine], query: 'guide', offset, limit: 10, snapshot: first.snapshot });
      expect(page.found).toBe(25);
      seen.push(...page.matches.map(({ whole }) => whole));
    }
    expect([seen.length, new Set(seen).size]).toEqual([25, 25]);
    await inTransaction(pool, (sql) => dropSpace(sql, mine));
  });
});
