import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { runCommandLine } from './test-command-line.js';
import { definition } from './test-gateway.js';

test('tools are listed with their version and first sentence', async () => {
  const tools = [
    definition({}, { name: 'get_weather' }),
    definition({}, { name: 'old', deprecated: true, description: '天气。更多。' }),
    definition({}, { name: 'short', description: 'No full stop' }),
  ];
  await using server = await startScriptedServer(jsonAnswer(200, { tools }), jsonAnswer(200, { tools }));
  const { stdout } = await runCommandLine(['tools', '--domain', 'perception'], { INVOQ_URL: server.url });
  expect(stdout.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
    'get_weather 1.0.0 Does it.',
    'old 1.0.0 (deprecated) 天气。更多。',
    'short 1.0.0 No full stop',
    '',
  ]);
  expect(server.requests[0]?.url).toBe('/tools?domain=perception');
  expect(JSON.parse((await runCommandLine(['tools', '--json'], { INVOQ_URL: server.url })).stdout)).toEqual(tools);
});
