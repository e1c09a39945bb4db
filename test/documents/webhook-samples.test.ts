// What the page about webhooks shows verifies what the gateway sends, and nothing else.
import { execFile } from 'node:child_process';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { newWebhookSecret, signedHeaders } from '../../apps/gateway/src/webhooks/signature.js';
import { findPython } from '../../scripts/provision/python.js';
import { readMarkdown } from './markdown.js';

const { blocks } = readMarkdown('docs/how-to/webhooks.md');
const body = JSON.stringify({ type: 'call.completed', timestamp: '2026-11-26T10:25:16.011Z', data: { tool_name: 'a "b" 中文' } });
const now = () => Math.floor(Date.now() / 1_000);

const runs = {
  js: {
    file: 'verified.mjs',
    command: process.execPath,
    call: 'import { readFileSync } from "node:fs";\nconst [secret, headers, body] = JSON.parse(readFileSync(0, "utf8"));\nconsole.log(verified(secret, headers, body).type);\n',
  },
  python: {
    file: 'verified.py',
    command: findPython(),
    call: 'import sys\nsecret, headers, body = json.load(sys.stdin)\nprint(verified(secret, headers, body.encode())["type"])\n',
  },
} as const;

test.each(['js', 'python'] as const)('%s', async (language) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-webhooks-'));
  const sample = blocks.find((block) => block.language === language && /verified\(/.test(block.text) && /hmac/i.test(block.text));
  const { file, command, call } = runs[language];
  const program = join(folder.path, file);
  writeFileSync(program, `${sample?.text}\n${call}`);
  const verify = async (secret: string, headers: object, sent: string) => {
    const running = promisify(execFile)(command, [program]);
    running.child.stdin?.end(JSON.stringify([secret, headers, sent]));
    return (await running).stdout.trim();
  };
  const [one, two, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
  const headers = signedHeaders([one, two], { id: 'evt_1', timestamp: now(), body });
  for (const secret of [one, two]) expect(await verify(secret, headers, body)).toBe('call.completed');
  await expect(verify(other, headers, body)).rejects.toThrow('not signed');
  await expect(verify(one, headers, `${body} `)).rejects.toThrow('not signed');
  const old = signedHeaders([one], { id: 'evt_1', timestamp: now() - 400, body });
  await expect(verify(one, old, body)).rejects.toThrow('too old');
});
