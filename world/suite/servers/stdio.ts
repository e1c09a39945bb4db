import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programOf } from '../packages.js';
import type { Command } from '../row.js';

/** A server of MCP that the product starts, and speaks to over stdio. */
export interface StdioServer {
  /** Under which the product knows it; at most 24 characters. */
  readonly name: string;
  readonly package: string;
  /** `{folder}` stands for a folder of the run. */
  readonly args?: readonly string[];
  /** What it wants to see before it starts, such as a key; none is a real one. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Writes down the server's process id, so that it can be killed. */
const noteOwnId = 'import{writeFileSync}from"node:fs";writeFileSync(process.env.WORLD_PID_FILE,String(process.pid))';

/** With `env`, as whoever runs the product gives a server its key. */
export function commandOf({ name, package: from, args = [], env = {} }: StdioServer): Command {
  return (folder) => {
    const variables = { ...env, HOME: folder, WORLD_PID_FILE: pidFile(folder, name) };
    return {
      command: 'env',
      args: [
        ...Object.entries(variables).map(([variable, value]) => `${variable}=${value.replace('{folder}', folder)}`),
        process.execPath,
        '--import',
        `data:text/javascript,${encodeURIComponent(noteOwnId)}`,
        programOf(from),
        ...args.map((arg) => arg.replace('{folder}', folder)),
      ],
    };
  };
}

/** Kills the server as it runs now. Throws when it does not run. */
export function killServer({ name }: StdioServer, folder: string): void {
  const file = pidFile(folder, name);
  if (!existsSync(file)) throw new Error(`${name} has not been started`);
  process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
}

function pidFile(folder: string, name: string): string {
  return join(folder, `${name}.pid`);
}
