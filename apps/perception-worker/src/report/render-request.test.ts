import { describe, expect, test } from '@jest/globals';
import { renderMessage } from './render-message.js';
import { answerRenderRequest } from './render-request.js';

async function answer(request: unknown) {
  const steps: [number, string][] = [];
  const message = await answerRenderRequest(request, (percent, step) => void steps.push([percent, step]));
  return { message, steps };
}

describe('a request', () => {
  test.each(['html', 'docx'] as const)('for %s is answered with the bytes, and tells how far it is', async (format) => {
    const { message, steps } = await answer({ title: '周报', content: '# 销售\n\nwords', format });
    expect(renderMessage.parse(message)).toMatchObject({ kind: 'done' });
    const percents = steps.map(([percent]) => percent);
    expect(percents.slice(0, 2)).toEqual([20, 40]);
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    expect(percents.every((percent) => percent <= 100)).toBe(true);
  });

  test('that nests too deep is too complex, and one step less is not', async () => {
    const nested = (depth: number) => answer({ title: 't', content: `${'> '.repeat(depth)}x`, format: 'html' });
    // A quotation is one step, and the paragraph and its text are two more.
    expect((await nested(38)).message).toMatchObject({ kind: 'done' });
    expect((await nested(39)).message).toEqual({ kind: 'too-complex', message: 'The Markdown is nested more than 40 deep' });
  });

  test.each([null, {}, { title: 't', content: 'c', format: 'exe' }, { title: 't', content: 'c', format: 'pdf', more: 1 }])(
    'of another shape fails: %j',
    async (request) => expect((await answer(request)).message).toMatchObject({ kind: 'failed' }),
  );
});

test.each([{ kind: 'done', bytes: 'text' }, { kind: 'done' }, { kind: 'progress', percent: '1', message: '' }, { kind: 'other' }, null])(
  'the message %j of a render process is not taken',
  (message) => expect(renderMessage.safeParse(message).success).toBe(false),
);
