import { describe, expect, test } from '@jest/globals';
import { askedIn } from './asked-body.js';

const asked = (text: string) => askedIn(Buffer.from(text), true);

describe('the id of a message', () => {
  test.each([
    ['{"method":"m","params":{"id":5,"a":{"id":5}},"jsonrpc":"2.0","id":7}', 7],
    ['{"jsonrpc":"2.0","id":7,"method":"m","params":{"id":5}}', 7],
    ['{"jsonrpc":"2.0","id":"a-b","method":"m"}', 'a-b'],
    ['{"method":"m","jsonrpc":"2.0","id":0}', 0],
  ])('of %s is %j', (text, id) => {
    expect(asked(text)?.id).toBe(id);
    expect(asked(text)?.words).not.toBe(asked(text.replace('"m"', '"n"'))?.words);
  });

  test('is cut out alone: arguments of this name stay', () => {
    const message = (id: number, argument: number) => `{"params":{"b":1,"id":${argument}},"jsonrpc":"2.0","id":${id}}`;
    expect(asked(message(5, 5))?.words).toBe(asked(message(6, 5))?.words);
    expect(asked(message(5, 5))?.words).not.toBe(asked(message(5, 6))?.words);
    expect(asked(message(5, 6))?.words).not.toBe(asked(message(6, 5))?.words);
  });

  test.each([
    '{"params":{"a":1,"id":5}}',
    '{"jsonrpc":"2.0","id":1.5,"method":"m"}',
    '{"jsonrpc":"2.0","id":null}',
    '{"jsonrpc":"2.0","id":"a\\"b","method":"m"}',
    '{"method":"m","id":007}',
    '{"method":"m","id":7 }',
    '{"method":"\\",\\"id\\":5}',
    '[{"jsonrpc":"2.0","id":1}]',
    '',
  ])('is not found in %s', (text) => expect(asked(text)).toBeNull());

  test('is nothing where bodies are no messages', () => {
    const text = '{"a":1,"id":5}';
    expect(askedIn(Buffer.from(text), false)).toEqual({ words: text, id: null });
  });
});
