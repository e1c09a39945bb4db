import { expect, test } from '@jest/globals';
import { parseReplies } from './replies.js';

const first = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Trace-Id: a\r\n\r\n{}';
const chunked = 'HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n';

test('all replies of a socket are read', () => {
  const replies = parseReplies(Buffer.from(`HTTP/1.1 100 Continue\r\n\r\n${first}${chunked}${first}HTTP/1.1 2`), true);
  expect(replies.map(({ status, text }) => [status, text])).toEqual([
    [200, '{}'],
    [404, 'abcde'],
    [200, '{}'],
  ]);
  expect(replies[0]?.headers.get('x-trace-id')).toBe('a');
});

test.each(['', 'SSH-2.0', 'HTTP/1.1 200 OK\r\nContent-Length: 2'])('%j is no reply', (text) =>
  expect(parseReplies(Buffer.from(text), true)).toEqual([]),
);

test.each([first.slice(0, -1), chunked.slice(0, -5)])(
  'a reply that is not whole counts where the server has closed, and not where the reader has: %j',
  (text) => {
    const bytes = Buffer.from(first + text);
    expect([parseReplies(bytes, true).length, parseReplies(bytes, false).length]).toEqual([2, 1]);
  },
);
