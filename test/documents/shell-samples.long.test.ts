import { tmpdir } from 'node:os';
import { expect, test } from '@jest/globals';
import { parseMarkdown } from './markdown.js';
import { commandsOf, ShellSamples } from './shell-samples.js';

const block = (text: string) => parseMarkdown('x.md', `\`\`\`sh\n${text}\n\`\`\``).blocks[0]!;
const shell = (patienceMs = 0) => new ShellSamples(tmpdir(), { PATH: process.env['PATH'] }, patienceMs);

test('commands are one for each line, without lines of comments, with continued lines joined', () => {
  expect(commandsOf("# first\necho 1   # one\n\necho a \\\n  'b # c'\n")).toEqual(['echo 1   # one', "echo a 'b # c'"]);
  expect(commandsOf('echo 1 # it\'s one\necho "it\'s"\necho 3')).toEqual(["echo 1 # it's one", 'echo "it\'s"', 'echo 3']);
  expect(commandsOf("echo '{\n\n# 1\n}'\necho 2")).toEqual(["echo '{\n\n# 1\n}'", 'echo 2']);
});

test('variables of an earlier block are there in a later one', async () => {
  const terminal = shell();
  expect(await terminal.run(block('A=(one two)\nNAME=x'))).toEqual([]);
  expect(await terminal.run(block('echo "${A[1]} $NAME"'))).toEqual([{ command: 'echo "${A[1]} $NAME"', output: 'two x\n' }]);
});

test('a program gets the variables that an earlier block has exported, and no others', async () => {
  const terminal = shell();
  await terminal.run(block('A=1\nB=2\nexport A'));
  expect((await terminal.run(block('printenv A B || true')))[0]?.output).toBe('1\n');
});

test('the ids of the latest answer stand for their placeholders', async () => {
  const terminal = shell();
  await terminal.run(block(`echo '{"job_id":"old"}'\necho '{"metadata":{"trace_id": "trace_1","job_id": "job_1"}}'`));
  expect((await terminal.run(block('echo "/jobs/<job_id> /traces/<trace_id> <other>"')))[0]?.output).toBe(
    '/jobs/job_1 /traces/trace_1 <other>\n',
  );
});

test.each(['false', 'echo $UNSET_VARIABLE', 'no-such-command'])('%s is an error that names the command', async (command) => {
  await expect(shell().run(block(command))).rejects.toThrow(command);
});

test('an output that stays wrong is an error that shows it', async () => {
  await expect(shell().run(block('echo not yet'), (output) => output === 'now\n')).rejects.toThrow('wrong output: not yet');
});

test('an output that becomes right is taken', async () => {
  const answers = ['no', 'yes'];
  await expect(shell(20_000).run(block('echo x'), () => answers.shift() === 'yes')).resolves.toEqual([
    { command: 'echo x', output: 'x\n' },
  ]);
});
