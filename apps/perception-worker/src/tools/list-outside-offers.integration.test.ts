// Lists of outside servers that are careless, hostile or away. No SDK stands between.
import { describe, expect, test } from '@jest/globals';
import { askForLists, greeting, listsOf, withRaw } from '../upstreams/test-offers.js';
import type { RawAnswers } from '../upstreams/test-raw-server.js';
import { openServices, withStores } from '../upstreams/test-upstreams.js';

withStores();

describe('list_outside_offers', () => {
  test('one entry that cannot be read costs no other, and careless fields are left out', async () => {
    await using services = openServices();
    await using server = await withRaw(services, {
      other: (method) =>
        method === 'resources/list'
          ? {
              result: {
                resources: [
                  { uri: 'a:1', name: 'fine', mimeType: 'text/plain', size: 3, _meta: { own: 1 } },
                  { uri: 'a:2', mimeType: 'no mime', size: -1, annotations: { priority: 7, audience: ['user'] }, icons: 'none', title: 5 },
                  { name: 'no address' },
                  null,
                  'text',
                  { uri: 'a:3\0\ud800', name: 'x'.repeat(600), description: 'd'.repeat(10_000) },
                ],
                nextCursor: null,
              },
            }
          : method === 'prompts/list'
            ? { result: { prompts: [{ name: 'say', arguments: [{ name: 'a', required: 'yes' }] }, { name: 'odd', arguments: {} }, {}] } }
            : undefined,
    });
    const [listed] = await listsOf(services, server.name);
    expect(listed).toMatchObject({ fault: null, offers: { completes: true, templates: [] } });
    expect(listed?.offers?.resources).toMatchObject([
      { uri: 'a:1', name: 'fine', mimeType: 'text/plain', size: 3, _meta: { own: 1 } },
      { uri: 'a:2', name: 'a:2', annotations: { audience: ['user'] } },
      { uri: 'a:3\ufffd', name: 'a:3\ufffd', description: 'd'.repeat(4_096) },
    ]);
    expect(listed?.offers?.resources[1]?.annotations?.priority).toBeUndefined();
    expect(listed?.offers?.prompts).toMatchObject([{ name: 'say', arguments: [{ name: 'a' }] }, { name: 'odd' }]);
    expect(listed?.offers?.faults).toEqual([
      '3 of its resources have no name or address, and are left out',
      '1 of its prompts have no name or address, and are left out',
    ]);
  });

  test('pages are followed; a cursor that loops, a list without end and one of 100,000 have a bound', async () => {
    await using services = openServices();
    const pageOf = (from: number, count: number) => Array.from({ length: count }, (_, at) => ({ uri: `a:${from + at}` }));
    const resources = (answers: (cursor: string | undefined) => object): RawAnswers => ({
      greeting: greeting({ resources: {} }),
      other: (method, params) => (method === 'resources/list' ? { result: answers(params?.cursor) } : undefined),
    });
    await using paged = await withRaw(
      services,
      resources((cursor) => ({
        resources: pageOf(Number(cursor ?? 0), 3),
        ...(cursor !== '6' && { nextCursor: `${Number(cursor ?? 0) + 3}` }),
      })),
    );
    await using looping = await withRaw(
      services,
      resources(() => ({ resources: pageOf(0, 2), nextCursor: 'again' })),
    );
    let page = 0;
    await using endless = await withRaw(
      services,
      resources(() => ({ resources: pageOf(page, 500), nextCursor: `${(page += 500)}` })),
    );
    await using huge = await withRaw(
      services,
      resources(() => ({ resources: pageOf(0, 100_000) })),
    );
    const listed = await listsOf(services, paged.name, looping.name, endless.name, huge.name);
    expect(listed.map(({ fault, offers }) => [fault, offers?.resources.length, offers?.faults])).toEqual([
      [null, 9, []],
      [null, 4, []],
      [null, 2_000, ['its resources are more than the 2000 that are kept']],
      [null, 2_000, ['its resources are more than the 2000 that are kept']],
    ]);
    expect(endless.asked.filter(({ method }) => method === 'resources/list')).toHaveLength(4);
  });

  test('lists of too many bytes are cut, and a message that is too large is refused', async () => {
    await using services = openServices();
    const long = { title: 'x'.repeat(4_000), description: 'y'.repeat(4_000) };
    await using wide = await withRaw(services, {
      other: (method) =>
        method === 'resources/list'
          ? { result: { resources: Array.from({ length: 200 }, (_, at) => ({ uri: `a:${at}`, ...long })) } }
          : method === 'prompts/list'
            ? { result: { prompts: [{ name: 'late' }] } }
            : undefined,
    });
    await using vast = await withRaw(services, {
      other: (method) =>
        method === 'resources/list' ? { result: { resources: [{ uri: 'a:1', name: 'z'.repeat(50_000_000) }] } } : undefined,
    });
    const [cut] = await listsOf(services, wide.name);
    expect(Buffer.byteLength(JSON.stringify(cut?.offers))).toBeLessThan(600_000);
    expect(cut?.offers?.faults[0]).toMatch(/^its lists have more than 524288 bytes: \d+ of its resources are left out$/);
    const [refused] = await listsOf(services, vast.name);
    expect(refused?.fault ?? refused?.offers?.faults[0]).toMatch(/answered with an error|could not be read|within 8 s/);
    // The others of the worker go on.
    expect((await listsOf(services, wide.name))[0]?.fault).toBeNull();
  }, 60_000);

  test('a server that hangs, refuses, or is gone, costs its own lists alone', async () => {
    await using services = openServices();
    let isHanging = false;
    await using hanging = await withRaw(services, {
      send: (response, message) => {
        if (!isHanging) response.setHeader('content-type', 'application/json').end(JSON.stringify(message));
      },
    });
    await using refusing = await withRaw(services, {
      other: (method) =>
        method === 'prompts/list' ? { result: { prompts: [{ name: 'say' }] } } : { error: { code: -32_603, message: 'out of order' } },
    });
    const gone = await withRaw(services, {});
    await gone[Symbol.asyncDispose]();
    isHanging = true;
    const started = performance.now();
    const listed = await listsOf(services, hanging.name, refusing.name, gone.name);
    expect(performance.now() - started).toBeLessThan(12_000);
    expect(listed[0]).toEqual({ fault: `${hanging.name} did not give its lists within 8 s`, offers: null });
    expect(listed[1]).toMatchObject({
      fault: null,
      offers: {
        prompts: [{ name: 'say' }],
        faults: [expect.stringContaining('out of order'), expect.stringContaining('out of order')],
      },
    });
    expect(listed[2]).toEqual({ fault: `${gone.name} could not be reached`, offers: null });
  }, 30_000);

  test('a server that says to have nothing of it is not asked', async () => {
    await using services = openServices();
    await using server = await withRaw(services, { greeting: greeting({}) });
    expect(await listsOf(services, server.name)).toEqual([
      { fault: null, offers: { resources: [], templates: [], prompts: [], completes: false, faults: [] } },
    ]);
    expect(server.asked.map(({ method }) => method).filter((method) => /resources|prompts/.test(method ?? ''))).toEqual([]);
  });

  test("another tenant's server is not asked, whoever found it", async () => {
    await using services = openServices();
    await using server = await withRaw(services, {});
    const before = server.asked.length;
    expect(await askForLists(services, [server.name], 'bolt')).toMatchObject({ kind: 'failed', failure: 'internal' });
    expect(server.asked).toHaveLength(before);
  });
});
