import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '#lib/command-line';
import { SourceTypes } from './interface-fields.js';
import { toolFieldsPage } from './tool-fields.js';

const { body } = toolFieldsPage();

/** What the source of an interface names as its fields, as text. */
function namesIn(file: string, name: string): readonly string[] {
  const [, block = ''] =
    new RegExp(`^export interface ${name}\\b[^]*?\\{\\n([^]*?)^\\}`, 'm').exec(readFileSync(join(root, file), 'utf8')) ?? [];
  return [...block.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, field = '']) => field);
}

describe('the page of the fields of a tool', () => {
  test.each([
    ['ToolFields', 'libs/contracts/src/define-tool.ts'],
    ['RetryRule', 'libs/contracts/src/define-tool.ts'],
    ['CacheRule', 'libs/contracts/src/define-tool.ts'],
    ['ToolExample', 'libs/contracts/src/define-tool.ts'],
    ['OwnContract', 'libs/serve/src/own-contract.ts'],
    ['ToolSpec', 'libs/serve/src/tool.ts'],
    ['OwnToolContext', 'libs/handlers/src/context.ts'],
    ['RefuseWith', 'libs/handlers/src/context.ts'],
    ['ServeOptions', 'libs/serve/src/serve.ts'],
  ])('has every field of %s', (name, file) => {
    const names = namesIn(file, name);
    expect(names).not.toEqual([]);
    expect(names.filter((field) => field !== 'baseIsSetting' && !body.includes(`\n| \`${field}\` | `))).toEqual([]);
  });

  test('says of every field what it means', () => {
    const rows = body.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows.filter((row) => / \| {1,2}\|$/.test(row))).toEqual([]);
  });

  test('says what must be said, and what `tool` says otherwise', () => {
    expect(body).toMatch(/^\| `input` \| `z\.ZodType.*` \| yes \| /m);
    expect(body).toMatch(/^\| `effect` \| .* \| in `defineTool` \| .*In `tool`: default `"write"`\. \|$/m);
    expect(body).toMatch(/^\| `timeoutMs` .*In `tool`: default `30000`\. \|$/m);
    expect(body).toMatch(/^\| `domain` .*In `tool`: default `"tools"`\. \|$/m);
  });

  test('shows no field that only the tools of the product have', () => {
    for (const field of ['aliases', 'scopes', 'subject', 'baseIsSetting', 'recordUpstreamAnswer'])
      expect(body).not.toContain(`| \`${field}\``);
  });
});

test('a type that no source declares is named', () => {
  expect(() => new SourceTypes([]).fieldsOf('Missing')).toThrow('Missing');
});
