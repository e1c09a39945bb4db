// For tests: runs a command line in this process, against a gateway, and keeps what it writes.
import type { CommandEntry } from './commands.js';
import { runCli } from './run-cli.js';

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param environment variables that the command sees; those of a real gateway are hidden from it */
export async function runCommandLine(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  entries?: readonly CommandEntry[],
): Promise<CommandResult> {
  const before = { ...process.env };
  const stdout = capture(process.stdout);
  const stderr = capture(process.stderr);
  try {
    for (const name of ['INVOQ_URL', 'INVOQ_API_KEY', 'INVOQ_ADMIN_KEY']) delete process.env[name];
    Object.assign(process.env, { INVOQ_DATA_DIR: '/nowhere/at/all', ...environment });
    const code = await runCli(args, entries);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    stdout.restore();
    stderr.restore();
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

function capture(stream: NodeJS.WriteStream) {
  const { write } = stream;
  const chunks: string[] = [];
  stream.write = (chunk: string | Uint8Array): boolean => {
    chunks.push(String(chunk));
    return true;
  };
  return {
    text: () => chunks.join(''),
    restore: () => {
      stream.write = write;
    },
  };
}
