// The command as it is started: from a clone through bin/, and in a pipe.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { definition } from './test-gateway.js';

const main = 'dist/apps/cli/src/main.js';

test('package.json names the command, and it is executable', () => {
  const { bin } = z.object({ bin: z.object({ invoq: z.string() }) }).parse(JSON.parse(readFileSync('package.json', 'utf8')));
  const { status, stdout } = spawnSync(bin.invoq, ['--help'], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, expect.stringContaining('Usage: invoq <command>')]);
});

test('the arguments of an evaluation reach it, --help too', () => {
  const { status, stdout } = spawnSync(process.execPath, [main, 'eval', 'knowledge', '--help'], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, expect.stringContaining('--beir <folder>')]);
  expect(spawnSync(process.execPath, [main, 'eval', 'agent', '--nonsense'], { encoding: 'utf8' }).status).toBe(2);
});

test('a pipe gets all of a long answer, and a reader that leaves early is no error', async () => {
  const tools = Array.from({ length: 4_000 }, (_, number) => definition({}, { name: `tool_${number}` }));
  await using server = await startScriptedServer(jsonAnswer(200, { tools }), jsonAnswer(200, { tools }));
  const piped = async (reader: string) =>
    // The address of a product that was started in this clone comes before INVOQ_URL.
    (
      await promisify(execFile)('bash', [
        '-c',
        `set -o pipefail; '${process.execPath}' ${main} --url ${server.url} tools --json | ${reader}`,
      ])
    ).stdout;
  expect(JSON.parse(await piped('cat'))).toHaveLength(4_000);
  expect((await piped('head -1')).trim()).toBe('[');
});
