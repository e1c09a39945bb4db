import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { mcpClients, mcpSetup } from './mcp-setups.js';

const guide = readFileSync('docs/how-to/mcp-clients.md', 'utf8');
const setups = mcpClients.map((client) => [client, mcpSetup(client, 'https://tools.example')] as const);

test.each(setups)('the setup of %s names the gateway, has a place for a key, and is where the guide says', (client, { place, text }) => {
  expect(text).toContain('https://tools.example/mcp');
  expect(text).toMatch(/Bearer (invoq_…|\$INVOQ_API_KEY|\$\{input:invoq\})|bearer_token_env_var/);
  const chapter = guide.split(`## ${client}`)[1]?.split('\n## ')[0] ?? '';
  if (place !== '$') expect(chapter).toContain(place);
  if (text.startsWith('{')) for (const name of Object.keys(JSON.parse(text))) expect(chapter).toContain(`"${name}"`);
});
