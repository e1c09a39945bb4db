import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AgentOutput } from '#lib/contracts';
import { OutputWriter } from './output-writer.js';

const word = (content: string): AgentOutput => ({ type: 'content', content });
const call = (id: string): AgentOutput => ({ type: 'tool_call', id, name: 'use_skill', arguments: {} });
const step: AgentOutput = { type: 'step', iteration: 1, finish_reason: 'tool-calls', usage: { input_tokens: 1, output_tokens: 1 } };

/** Writes that take as long as they are told, and what each held. */
function written({ takesMs = 0, paceMs = 1 } = {}) {
  const writes: (readonly unknown[])[] = [];
  const writer = new OutputWriter(
    async (data) => {
      writes.push(data);
      await sleep(takesMs);
    },
    () => paceMs,
  );
  return { writer, writes };
}

describe('the writer of a turn', () => {
  test('writes the first word at once, and gathers what comes while a write is under way', async () => {
    const { writer, writes } = written({ takesMs: 20 });
    for (const text of ['one ', 'two ', 'three']) writer.push(word(text));
    expect(writes).toEqual([[word('one ')]]);
    await writer.flush();
    expect(writes).toEqual([[word('one ')], [word('two three')]]);
  });

  test('gathers words for as long as its pace says, and holds nothing else back', async () => {
    const { writer, writes } = written({ paceMs: 60 });
    for (const text of ['one ', 'two ', 'three']) writer.push(word(text));
    expect(writes).toHaveLength(1);
    await writer.flush();
    expect(writes.slice(1)).toEqual([[word('two three')]]);
    writer.push(step);
    expect(writes).toHaveLength(3);
  });

  test('writes calls together with the end of their step, and no part of them without it', async () => {
    const { writer, writes } = written();
    for (const output of [word('a'), call('1'), call('2')]) writer.push(output);
    await writer.flush();
    expect(writes).toEqual([[word('a')]]);
    writer.push(step);
    await writer.flush();
    expect(writes[1]).toEqual([call('1'), call('2'), step]);
  });

  test('tells of a write that failed at the next chance, and leaves no rejection behind', async () => {
    const writer = new OutputWriter(
      () => Promise.reject(new Error('the store is gone')),
      () => 1,
    );
    writer.push(word('a'));
    await sleep(5);
    expect(() => writer.push(word('b'))).toThrow('the store is gone');
    await expect(writer.flush()).rejects.toThrow('the store is gone');
  });

  test('loses no word and changes no order, whenever they come', async () => {
    const outputs = fc.array(fc.tuple(fc.string({ minLength: 1, maxLength: 3 }), fc.nat(2)), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(outputs, fc.nat(2), fc.nat(3), async (words, takesMs, paceMs) => {
        const { writer, writes } = written({ takesMs, paceMs });
        for (const [text, pauseMs] of words) {
          writer.push(word(text));
          if (pauseMs > 0) await sleep(pauseMs - 1);
          else await Promise.resolve();
        }
        await writer.flush();
        const texts = writes.flat().map((output) => Reflect.get(Object(output), 'content'));
        expect(texts.join('')).toBe(words.map(([text]) => text).join(''));
      }),
      { numRuns: 50 },
    );
  });
});
