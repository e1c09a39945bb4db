import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { nativeShape, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { importAll, page, resultsShape, startKnowledge } from '../knowledge-system.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

const topics = ['nutrition', 'exercise', 'sleep', 'mental', 'general'] as const;
const facts = { title: 'Sleep', domain: 'sleep', tags: ['sleep', 'Caffeine'], source: 'AASM, Sleep, 2015', updated: '2026-02-03' };
const sleep = page(
  facts,
  `# 睡眠

## 成年人需要多少睡眠 {#how-much}

> **How much sleep adults need.** Seven hours or more each night.
> **Key terms:** sleep duration, 睡眠时长
> **Source:** AASM, Recommended sleep, 2015, https://example.com/sleep

成年人每晚宜睡 7 小时或更多。

## 咖啡因与入睡

下午两点以后喝咖啡会推迟入睡。
`,
);

describe('SearchKnowledge', () => {
  let system: System;
  let user: HttpCaller;
  const search = async (params: object) => resultsShape.parse(expectSuccess((await user.call('search_knowledge', params)).envelope));

  beforeAll(async () => {
    system = await startKnowledge({ inProcess });
    user = await system.caller();
    const admin = await system.admin();
    await importAll(admin, 'health', [
      { path: 'how-to-sleep.md', content: sleep },
      ...topics.map((domain) => ({
        path: `${domain}.md`,
        content: page(
          { title: `About ${domain}`, domain, source: 'WHO, Fact sheet, 2024' },
          [1, 2].map((n) => `## Hydration ${n} of ${domain}\n\nDrink water, part ${n}, for ${domain}.`).join('\n\n'),
        ),
      })),
    ]);
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  verifies(['AW-35', 'AW-36'], 'finds the section, with its source, in exactly the documented keys', async () => {
    const reply = await user.post('/aurawell/search_knowledge', { query: ' 成年人要睡多少小时 ', domain: 'sleep' });
    expect(reply.status).toBe(200);
    const { data, ...rest } = reply.as(nativeShape);
    expect(rest).toEqual({ status: 'success', error_code: null, message: expect.any(String) });
    expect(Object.keys(data ?? {}).toSorted()).toEqual(['domain', 'query', 'results', 'search_time_ms', 'total_count']);
    const found = resultsShape.parse(data);
    expect(found).toMatchObject({ query: '成年人要睡多少小时', domain: 'sleep' });
    expect(found.results[0]).toEqual({
      title: '成年人需要多少睡眠',
      content: '成年人每晚宜睡 7 小时或更多。',
      source: 'AASM, Recommended sleep, 2015',
      confidence_score: expect.any(Number),
      last_updated: '2026-02-03T00:00:00.000Z',
      tags: ['sleep', 'Caffeine'],
    });
    expect(found.total_count).toBeGreaterThanOrEqual(found.results.length);
  });

  verifies(['AW-36'], 'orders by confidence, and shows its parts to a developer who asks', async () => {
    const { envelope } = await user.call('search_knowledge?debug=true', { query: 'hydration water sleep', max_results: 20 });
    const scores = resultsShape.parse(envelope.data).results.map(({ confidence_score }) => confidence_score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(envelope).toMatchObject({
      debug_info: {
        confidence_parts: expect.arrayContaining([
          expect.objectContaining({ coverage: expect.any(Number), similarity: expect.any(Number) }),
        ]),
      },
    });
    expect((await user.call('search_knowledge', { query: 'hydration' })).text).not.toContain('debug_info');
  });

  verifies(['AW-32'], 'takes 1 to 200 characters of any script', async () => {
    for (const query of ['钙', 'x', '睡'.repeat(200), '😀'.repeat(200)]) expect((await search({ query })).query).toBe(query);
    for (const query of ['睡'.repeat(201), 'x'.repeat(201), '😀'.repeat(201)])
      expectRefusal(await user.call('search_knowledge', { query }), {
        status: 400,
        code: 'INVALID_PARAMS',
        native: 'INVALID_INPUT',
        paths: ['query'],
      });
  });

  verifies(['AW-33'], 'takes each domain and echoes it, general when none is named, and then looks in all of them', async () => {
    for (const domain of topics) {
      const found = await search({ query: 'hydration', domain, max_results: 20 });
      expect(found.domain).toBe(domain);
      if (domain !== 'general') expect(found.results.every(({ title }) => title.includes(domain))).toBe(true);
    }
    const anywhere = await search({ query: 'hydration water', max_results: 20 });
    expect([anywhere.domain, anywhere.results.length]).toEqual(['general', 10]);
  });

  verifies(['AW-34'], 'gives five results, or as many as are asked for', async () => {
    expect((await search({ query: 'hydration water' })).results).toHaveLength(5);
    expect((await search({ query: 'hydration water', max_results: 1 })).results).toHaveLength(1);
    expect((await search({ query: 'hydration water', max_results: 20 })).results.length).toBeLessThanOrEqual(20);
    for (const max_results of [0, 21, 2.5, '5'])
      expectRefusal(await user.call('search_knowledge', { query: 'x', max_results }), {
        status: 400,
        code: 'INVALID_PARAMS',
        native: 'INVALID_INPUT',
        paths: ['max_results'],
      });
  });

  verifies(['AW-37'], 'refuses an empty question and an unknown domain before any job', async () => {
    for (const query of ['', '   ', '\n\t']) {
      const reply = await user.post('/aurawell/search_knowledge', { query });
      expect([reply.status, reply.as(nativeShape).error_code]).toEqual([400, 'QUERY_TOO_SHORT']);
    }
    expectRefusal(await user.call('search_knowledge', { query: 'x', domain: 'finance' }), {
      status: 400,
      code: 'INVALID_PARAMS',
      native: 'DOMAIN_INVALID',
      paths: ['domain'],
    });
    expectRefusal(await user.call('search_knowledge', {}), {
      status: 400,
      code: 'INVALID_PARAMS',
      native: 'INVALID_INPUT',
      paths: ['query'],
    });
  });

  verifies(['AW-35'], 'says that it found nothing, as a success', async () => {
    for (const query of ['zzqxv wfjkd', '��', '((']) expect(await search({ query })).toMatchObject({ results: [], total_count: 0 });
  });

  verifies(['AW-36'], 'says when the best match is probably beside the question', async () => {
    const question = { query: 'duration of a bond' };
    const { envelope } = await user.call('search_knowledge', question);
    expect(resultsShape.parse(expectSuccess(envelope)).results.length).toBeGreaterThan(0);
    expect(envelope.metadata.warnings).toEqual([expect.stringContaining('evidence is weak')]);
    expect((await user.post('/aurawell/search_knowledge', question)).as(nativeShape).message).toContain('evidence is weak');
    expect((await user.call('search_knowledge', { query: '成年人需要多少睡眠' })).envelope.metadata.warnings).toBeUndefined();
  });

  verifies(['AW-32'], 'reads everything as plain text', async () => {
    for (const query of ["'; DROP TABLE knowledge_section; --", 'a:* & !b | (c)', '%_\\', '$1 {"not":null}']) await search({ query });
    expect((await search({ query: 'hydration' })).results.length).toBeGreaterThan(0);
  });

  verifies(['AW-33'], 'looks into another collection, by tag and by type, and never into another tenant’s', async () => {
    const admin = await system.admin();
    await importAll(admin, 'bazi', [
      {
        path: 'stems.md',
        content: page({ title: '天干', type: 'internal', tags: ['basics'] }, '## 十天干\n\n甲乙丙丁戊己庚辛壬癸，合称十天干。'),
      },
    ]);
    const found = await search({ query: '十天干', collection: 'bazi', tags: ['Basics'], type: 'internal' });
    expect(found.results[0]?.title).toBe('十天干');
    expect((await search({ query: '十天干', collection: 'bazi', type: 'public' })).results).toEqual([]);
    expect((await search({ query: '十天干', collection: 'bazi', tags: ['other'] })).results).toEqual([]);
    await using elsewhere = await startKnowledge({ inProcess, workers: 0, gateways: 0 });
    const stranger = user.with({ authorization: `Bearer ${await elsewhere.tenant.key()}` });
    const theirs = resultsShape.parse(
      expectSuccess((await stranger.call('search_knowledge', { query: '十天干', collection: 'bazi' })).envelope),
    );
    expect(theirs.results.some(({ content }) => content.includes('合称十天干'))).toBe(false);
  });

  verifies(['AW-36'], 'finds a section as soon as it is imported, and no longer once it is gone', async () => {
    const admin = await system.admin();
    const word = 'quokkaberry';
    await importAll(admin, 'health', [
      { path: 'new.md', content: `# Fruit\n\n## Old\n\nThe ${word} is sweet.\n\n## Kept\n\nNothing else.` },
    ]);
    expect((await search({ query: word })).results[0]).toMatchObject({ title: 'Old' });
    const again = await importAll(admin, 'health', [{ path: 'new.md', content: '# Fruit\n\n## Kept\n\nNothing else.' }]);
    expect(again).toMatchObject({ changed: 1, sections_kept: 1, sections_removed: 1, sections_written: 0 });
    expect((await search({ query: word })).results).toEqual([]);
  });
});
