// What outside servers answer when they are asked for a resource, a prompt or a completion. No SDK stands between.
import { describe, expect, test } from '@jest/globals';
import { ask, listsOf, readOf, withRaw } from '../upstreams/test-offers.js';
import { openServices, withStores } from '../upstreams/test-upstreams.js';

withStores();

describe('ask_outside_server', () => {
  const contents = (given: unknown) => ({ result: { contents: given } });

  test.each<[string, unknown, object]>([
    [
      'a text without a type',
      [{ uri: 'b:1', text: 'said' }],
      { kind: 'done', data: { result: { contents: [{ uri: 'b:1', text: 'said' }] } } },
    ],
    [
      'a careless one',
      [{ text: 'nul\0', mimeType: 'not a type', _meta: 5 }],
      { kind: 'done', data: { result: { contents: [{ uri: 'a:1', text: 'nul' }] } } },
    ],
    [
      'bytes in the alphabet of addresses, with line ends',
      [{ uri: 'a:1', blob: 'PDw_\nPz8-' }],
      { kind: 'done', data: { result: { contents: [{ blob: 'PDw/Pz8+' }] } } },
    ],
    ['nothing', [], { kind: 'done', data: { result: { contents: [] } } }],
    ['bytes that are no base64', [{ uri: 'a:1', blob: 'no base64!' }], { kind: 'refused', error: { native_code: 'UPSTREAM_UNUSABLE' } }],
    [
      'neither text nor bytes',
      [{ uri: 'a:1', mimeType: 'text/plain' }],
      { kind: 'refused', error: { message: expect.stringContaining('contents.0') } },
    ],
    ['no list', { uri: 'a:1' }, { kind: 'refused', error: { message: expect.stringContaining("'contents'") } }],
    [
      'too much',
      [{ uri: 'a:1', text: 'x'.repeat(5_000_000) }],
      { kind: 'refused', error: { message: expect.stringContaining('4194304 are the most') } },
    ],
  ])('a resource of %s', async (_what, given, ended) => {
    await using services = openServices();
    await using server = await withRaw(services, { other: (method) => (method === 'resources/read' ? contents(given) : undefined) });
    expect(await ask(services, server.name, readOf('a:1'))).toMatchObject(ended);
  });

  test.each([
    [-32_002, 'UPSTREAM_NOT_FOUND'],
    [-32_602, 'UPSTREAM_INVALID_PARAMS'],
    [-32_603, 'UPSTREAM_REFUSED'],
  ])('the code %i is told as %s, in the words of the server', async (code, literal) => {
    await using services = openServices();
    await using server = await withRaw(services, { other: () => ({ error: { code, message: 'Not today' } }) });
    expect(await ask(services, server.name, readOf('a:1'))).toMatchObject({
      kind: 'refused',
      error: { native_code: literal, message: `${server.name} says: Not today` },
    });
  });

  test('prompts of any shape, and completions of any length', async () => {
    await using services = openServices();
    await using server = await withRaw(services, {
      other: (method) =>
        method === 'prompts/get'
          ? {
              result: {
                messages: [
                  { role: 'system', content: 'plain' },
                  { role: 'assistant', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
                  { role: 'user', content: { type: 'image', data: '?', mimeType: 'image/png' } },
                  { role: 'user', content: { type: 'resource', resource: { uri: 'a:1', text: 'inner' } } },
                  { role: 'user', content: { type: 'resource_link', uri: 'a:2' } },
                  { content: [{ type: 'text', text: 'a list' }] },
                  null,
                ],
              },
            }
          : { result: { completion: { values: [...Array.from({ length: 150 }, (_, at) => `v${at}`), 7], total: 'many' } } },
    });
    expect(await ask(services, server.name, { question: 'prompt', of: 'p' })).toMatchObject({
      kind: 'done',
      data: {
        result: {
          messages: [
            { role: 'user', content: { type: 'text', text: 'plain' } },
            { role: 'assistant', content: { type: 'image', data: 'AAAA' } },
            { role: 'user', content: { type: 'text', text: expect.stringContaining('"?"') } },
            { role: 'user', content: { type: 'resource', resource: { uri: 'a:1', text: 'inner' } } },
            { role: 'user', content: { type: 'resource_link', uri: 'a:2', name: 'a:2' } },
            { role: 'user', content: { type: 'text', text: expect.stringContaining('a list') } },
            { role: 'user', content: { type: 'text', text: 'null' } },
          ],
        },
      },
    });
    const question = { question: 'prompt_completion', of: 'p', completes: { name: 'a', value: '' } };
    const completed = await ask(services, server.name, question);
    expect(completed).toMatchObject({ kind: 'done', data: { result: { completion: { hasMore: true } } } });
    expect(JSON.stringify(completed)).toContain('"v99"');
    expect(JSON.stringify(completed)).not.toContain('"v100"');
  });

  test('a session that the server has forgotten is begun again', async () => {
    await using services = openServices();
    await using server = await withRaw(services, {
      unknownSession: (response) => response.writeHead(404).end(),
      other: (method) => (method === 'resources/read' ? contents([{ uri: 'a:1', text: 'still there' }]) : undefined),
    });
    expect(await ask(services, server.name, readOf('a:1'))).toMatchObject({ kind: 'done' });
    server.sessions.clear();
    expect(await ask(services, server.name, readOf('a:1'))).toMatchObject({ kind: 'done' });
    server.sessions.clear();
    expect((await listsOf(services, server.name))[0]?.fault).toBeNull();
  });

  test("another tenant's server is not asked, whoever found it", async () => {
    await using services = openServices();
    await using server = await withRaw(services, {});
    const before = server.asked.length;
    expect(await ask(services, server.name, { ...readOf('a:1'), tenant: 'bolt' })).toMatchObject({ kind: 'failed', failure: 'internal' });
    expect(server.asked).toHaveLength(before);
  });
});
