import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, test } from '@jest/globals';
import { docsIn } from './docs.js';

async function connected(folder: string): Promise<Client> {
  const mcp = new McpServer({ name: 'test', version: '1' });
  for (const extension of docsIn(folder)) extension.attach(mcp);
  const [one, other] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([mcp.connect(one), client.connect(other)]);
  return client;
}

test('a client finds the list of pages, and reads a page', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-docs-'));
  mkdirSync(join(folder.path, 'tutorials'));
  writeFileSync(join(folder.path, 'llms.txt'), '# Invoq');
  writeFileSync(join(folder.path, 'tutorials/one.md'), '# 一');
  writeFileSync(join(folder.path, 'secret.json'), 'secret');
  const client = await connected(folder.path);
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(['docs://invoq/llms.txt']);
  expect(await client.readResource({ uri: 'docs://invoq/llms.txt' })).toMatchObject({ contents: [{ text: '# Invoq' }] });
  expect(await client.readResource({ uri: 'docs://invoq/tutorials/one.md' })).toMatchObject({
    contents: [{ text: '# 一', mimeType: 'text/markdown' }],
  });
  for (const page of ['secret.json', '../package.json', '%2e%2e/package.json', 'tutorials/../secret.json', 'none.md', ''])
    await expect(client.readResource({ uri: `docs://invoq/${page}` })).rejects.toThrow();
  await client.close();
});

test('there are none where nothing was built', () => {
  expect(docsIn('/nowhere')).toEqual([]);
});
