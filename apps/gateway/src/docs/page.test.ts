import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool, tools } from '#lib/contracts';
import { docsPage } from './page.js';

const hostile = `<script>alert("1")</script> & 'quotes'`;
const stranger = defineTool({
  name: 'test_stranger',
  title: hostile,
  description: hostile,
  domain: 'profile',
  version: '1.0.0',
  effect: 'write',
  timeoutMs: 1_500,
  estimatedTokens: 5,
  input: z.strictObject({
    text: z.string().describe(hostile),
    kind: z.enum(['a', '<b>']).optional(),
    list: z.array(z.union([z.string(), z.number()])).optional(),
  }),
  output: z.strictObject({}),
  errors: { SOLD_OUT: 'RESOURCE_NOT_FOUND' },
  examples: [{ input: { text: `it's <b>` }, output: {} }],
});

test('Every tool has a section and a link to it', () => {
  const page = docsPage(tools);
  for (const { name } of tools) expect(page).toContain(`<a href="#${name}">`);
  expect(page.match(/<section id=/g)).toHaveLength(tools.length);
  expect(page).toContain(`${tools.length} tools`);
});

test('What a stranger wrote is text on the page, never markup', () => {
  const page = docsPage([stranger]);
  expect(page).not.toContain('<script');
  expect(page).not.toContain('<b>');
  expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;quotes&#39;');
  expect(page).toContain('it&#39;s &lt;b&gt;');
});

test('A section tells types, what is optional, errors and limits', () => {
  const page = docsPage([stranger]);
  expect(page).toContain('<td><code>text</code></td><td>string</td>');
  expect(page).toContain('<code>kind</code> <small>optional</small></td><td>&quot;a&quot; | &quot;&lt;b&gt;&quot;</td>');
  expect(page).toContain('string | number[]');
  expect(page).toContain('SOLD_OUT (RESOURCE_NOT_FOUND)');
  expect(page).toContain('1500 ms');
  expect(page).toContain('<h3>Data</h3><p><small>None.</small></p>');
});
