import { describe, expect, test } from '@jest/globals';
import type { ReportRequest } from './report.js';
import { rendering } from './rendering.js';

async function render(request: ReportRequest) {
  const percents: number[] = [];
  const rendered = await rendering.render(request, ({ percent }) => void percents.push(percent));
  return { rendered, percents };
}

describe('a request', () => {
  test.each(['html', 'docx'] as const)('for %s is answered with the bytes, and tells how far it is', async (format) => {
    const { rendered, percents } = await render({ title: '周报', content: '# 销售\n\nwords', format });
    expect(rendered).toEqual({ bytes: expect.any(Uint8Array), warnings: [] });
    expect(percents.slice(0, 2)).toEqual([20, 40]);
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    expect(percents.every((percent) => percent <= 100)).toBe(true);
  });

  test('that nests too deep is too complex, and one step less is not', async () => {
    const nested = (depth: number) => render({ title: 't', content: `${'> '.repeat(depth)}x`, format: 'html' });
    // A quotation is one step, and the paragraph and its text are two more.
    expect((await nested(38)).rendered).toHaveProperty('bytes');
    expect((await nested(39)).rendered).toEqual({ tooComplex: 'The Markdown is nested more than 40 deep' });
  });
});
