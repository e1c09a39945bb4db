import { describe, expect, test } from '@jest/globals';
import { fastify } from 'fastify';
import { sendTagged, tagged } from './tagged.js';

const app = fastify();
app.get('/:text', (request, reply) => {
  const { params } = request;
  const text = typeof params === 'object' && params !== null && 'text' in params ? String(params.text) : '';
  sendTagged(request, reply, tagged(text, 'text/plain; charset=utf-8'));
});
const get = async (text: string, known?: string) =>
  app.inject({ url: `/${text}`, headers: known === undefined ? {} : { 'if-none-match': known } });

describe('A text with a tag', () => {
  test('is sent with its type and tag, which follows from the text alone', async () => {
    const [one, again, other] = [await get('a'), await get('a'), await get('b')];
    expect([one.statusCode, one.payload, one.headers['content-type']]).toEqual([200, 'a', 'text/plain; charset=utf-8']);
    expect(one.headers['etag']).toMatch(/^"[\w-]{22}"$/);
    expect(again.headers['etag']).toBe(one.headers['etag']);
    expect(other.headers['etag']).not.toBe(one.headers['etag']);
    expect(one.headers['cache-control']).toBe('private, no-cache');
  });

  test.each([
    (tag: string) => tag,
    (tag: string) => `W/${tag}`,
    (tag: string) => `"x", ${tag}`,
    (tag: string) => `"x" , W/${tag} , "y"`,
    () => '*',
  ])('is not sent again to a client that has it (%#)', async (header) => {
    const tag = String((await get('a')).headers['etag']);
    const again = await get('a', header(tag));
    expect([again.statusCode, again.payload, again.headers['etag']]).toEqual([304, '', tag]);
  });

  test.each(['"x"', '', 'a', '"*"'])('is sent to a client that has another: %j', async (known) => {
    expect((await get('a', known)).statusCode).toBe(200);
  });
});
