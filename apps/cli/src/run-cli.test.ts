import { expect, test } from '@jest/globals';
import { CommandError, UsageError } from '#lib/command-line';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { commands } from './commands.js';
import { runCommandLine } from './test-command-line.js';

test.each([[['--help']], [['-h']], [['help']]])('%j lists every command', async (args) => {
  const { code, stdout, stderr } = await runCommandLine(args);
  expect([code, stderr]).toEqual([0, '']);
  const lines = stdout.split('\n');
  const columns = commands.map(({ name, summary }) => {
    const line = lines.find((one) => one.startsWith(`  ${name} `) && one.endsWith(`  ${summary}`));
    return line?.lastIndexOf(`  ${summary}`);
  });
  expect(columns).not.toContain(undefined);
  expect(new Set(columns).size).toBe(1);
});

test.each([
  [[], 'Name a command'],
  [['fly'], "There is no command 'fly'"],
  [['jobs'], 'Name a command'],
  [['jobs', 'fly'], "There is no command 'jobs fly'"],
  [['--json'], "There is no command '--json'"],
  [['--url'], '--url needs a value'],
  [['--profile', '--key', 'k', 'tools'], '--profile needs a value'],
])('%j is wrong usage: the reason and the commands, on standard error', async (args, reason) => {
  const { code, stdout, stderr } = await runCommandLine(args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(new RegExp(`^error: ${reason}\n\nUsage: invoq <command>`));
});

test('the help of a group lists its commands alone', async () => {
  const { code, stdout } = await runCommandLine(['keys', '--help']);
  expect([code, stdout.match(/^ {2}\w+ \w+/gm)]).toEqual([0, ['  keys list', '  keys create', '  keys revoke']]);
});

test.each(commands.filter(({ name }) => !name.startsWith('eval')).map(({ name, summary }) => [name, summary]))(
  'invoq %s --help shows its usage',
  async (name, summary) => {
    const { code, stdout, stderr } = await runCommandLine([...name.split(' '), '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^Usage: invoq ${name}.*\n\n${summary}\\.\n`));
  },
);

test.each(commands.filter(({ name }) => !/^(eval|call)/.test(name)).map(({ name }) => [name]))(
  'invoq %s with an option that there is not is wrong usage, with its help',
  async (name) => {
    const { code, stdout, stderr } = await runCommandLine([...name.split(' '), '--nonsense']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^error: .*--nonsense[^]*Usage: invoq ${name}`));
  },
);

test.each(['tools', 'jobs list', 'trace t', 'keys list', 'call t'])('invoq %s without a gateway tells how to get one', async (line) => {
  const { code, stderr } = await runCommandLine(line.split(' '));
  expect([code, stderr]).toEqual([2, expect.stringMatching(/INVOQ_URL and INVOQ_API_KEY.*npm start/)]);
});

test('the options before the command name the gateway and the caller; after it they may be parameters of a tool', async () => {
  await using server = await startScriptedServer(...Array.from({ length: 3 }, () => jsonAnswer(200, { tools: [] })));
  const elsewhere = { INVOQ_URL: 'http://127.0.0.1:1', INVOQ_API_KEY: 'of elsewhere' };
  expect(await runCommandLine(['--url', server.url, '--key=mine', 'tools'], elsewhere)).toMatchObject({ code: 0, stderr: '' });
  expect(await runCommandLine([`--url=${server.url}`, 'tools'], elsewhere)).toMatchObject({ code: 0 });
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer mine', undefined]);
  expect(await runCommandLine(['tools'], { INVOQ_URL: server.url })).toMatchObject({ code: 0 });
  expect(await runCommandLine(['tools', '--url', 'x'], elsewhere)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/'--url'.*\n--url, --key and --profile stand before the command: invoq --url <address> tools/),
  });
  expect((await runCommandLine(['--profile', 'nothing', 'tools'])).stderr).toMatch(/--profile nothing: .*nothing\.env is not there/);
});

test('an address that is none is named', async () => {
  expect(await runCommandLine(['tools'], { INVOQ_URL: 'localhost' })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("INVOQ_URL must be an address such as http://127.0.0.1:3000, not 'localhost'"),
  });
});

test('an error of the gateway is told by code, message and trace', async () => {
  const error = { code: 'UNAUTHORIZED', message: 'The key is unknown', retryable: false, hint: '' };
  const metadata = { tool_name: '', timestamp: '', trace_id: 'trace_7' };
  await using server = await startScriptedServer(jsonAnswer(401, { success: false, status: 'error', error, metadata }));
  expect(await runCommandLine(['tools'], { INVOQ_URL: server.url })).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: UNAUTHORIZED: The key is unknown\ntrace: trace_7\nThe key is that of --key, of the profile, of .data/dev.env or INVOQ_API_KEY (of an administrator: INVOQ_ADMIN_KEY). It must be one of this gateway.\n',
  });
});

test('a gateway that gives no answer: the advice says how to start one, and how to name another', async () => {
  const closed = await startScriptedServer();
  await closed[Symbol.asyncDispose]();
  expect(await runCommandLine(['tools'], { INVOQ_URL: closed.url })).toEqual({
    code: 1,
    stdout: '',
    stderr: `error: NETWORK_ERROR: The gateway at ${closed.url} gave no answer (ECONNREFUSED)\nnpm start starts one on this machine; --url or INVOQ_URL names another.\n`,
  });
});

test('a gateway that says that it cannot take the call gets no such advice', async () => {
  const error = { code: 'NETWORK_ERROR', message: 'Redis is away', retryable: true, hint: '' };
  const metadata = { tool_name: '', timestamp: '', trace_id: 'trace_8' };
  const away = jsonAnswer(503, { success: false, status: 'error', error, metadata });
  await using server = await startScriptedServer(away, away, away);
  const { stderr } = await runCommandLine(['tools'], { INVOQ_URL: server.url });
  expect(stderr).toBe('error: NETWORK_ERROR: Redis is away\ntrace: trace_8\n');
});

test.each<[string, unknown, { readonly code: number; readonly printed: RegExp }]>([
  ['wrong usage', new UsageError('--x is wrong'), { code: 2, printed: /^error: --x is wrong\n\nUsage: invoq tools\n\nS\.\n$/ }],
  ['an error with advice', new CommandError('Do this'), { code: 1, printed: /^error: Do this\n$/ }],
  [
    'an error of the system',
    Object.assign(new Error('connect refused'), { code: 'X' }),
    { code: 1, printed: /^error: connect refused\n$/ },
  ],
  ['an error of the system without a text', Object.assign(new Error(''), { code: 'X' }), { code: 1, printed: /^error: X\n$/ }],
  ['a fault of ours', new TypeError('x is not a function'), { code: 1, printed: /TypeError: x is not a function\n +at / }],
  ['something else that was thrown', 'text', { code: 1, printed: /^text\n$/ }],
])('%s decides the exit code and what is printed', async (_what, thrown, { code, printed }) => {
  const run = async (): Promise<void> => {
    throw thrown;
  };
  const entry = { name: 'tools', summary: 'S', load: async () => ({ usage: '', help: '', run }) };
  expect(await runCommandLine(['tools'], {}, [entry])).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(printed) });
});
