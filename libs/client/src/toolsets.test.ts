import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { Invoq } from './invoq.js';

test('Sets of tools are asked for by their routes', async () => {
  const row = { name: 'support' };
  const seen = { tools: [], tokens: 0, problems: [] };
  await using server = await startScriptedServer(
    jsonAnswer(200, { toolsets: [row] }),
    jsonAnswer(200, row),
    jsonAnswer(201, row),
    jsonAnswer(200, seen),
    jsonAnswer(200, seen),
    jsonAnswer(200, { tools: [] }),
    jsonAnswer(200, row),
  );
  const invoq = new Invoq({ url: server.url, key: 'k' });
  const { toolsets } = invoq;
  expect((await toolsets.list()).toolsets).toEqual([row]);
  await toolsets.get('a/b');
  await toolsets.put('support', { tools: ['crm__*'], prefix: 'crm_' });
  expect(await toolsets.preview('support')).toEqual(seen);
  await toolsets.preview({ tools: ['get_weather'] }, { format: 'openai' });
  await invoq.tools({ set: 'support' });
  await toolsets.delete('support');
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /toolsets',
    'GET /toolsets/a%2Fb',
    'PUT /toolsets/support',
    'GET /toolsets/support/preview?format=mcp',
    'POST /toolsets/preview?format=openai',
    'GET /tools?set=support',
    'DELETE /toolsets/support',
  ]);
  expect(JSON.parse(server.requests[2]?.body ?? '')).toEqual({ tools: ['crm__*'], prefix: 'crm_' });
});
