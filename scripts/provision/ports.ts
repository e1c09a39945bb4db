// Free ports of this machine. A port that was picked stays reserved as long as the process that picked it runs, so that no second pick, here
// or in another start at the same moment, gives it away before somebody listens on it.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Ports after the preferred one that are tried in their order. */
const neighbours = 50;
const attempts = 100;

const folder = join(tmpdir(), `invoq-ports-${process.getuid?.() ?? 0}`);
const reserved = new Set<number>();

export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return (await listen(port, host)) !== undefined;
}

/** The preferred port, or one of those after it; without a preference any free one. No other pick gives it while this process runs. */
export async function pickPort(preferred = 0): Promise<number> {
  for (let tried = 0; tried < attempts; tried++) {
    const wanted = preferred > 0 && tried < neighbours ? preferred + tried : 0;
    const port = wanted > 65_535 ? undefined : await listen(wanted, '127.0.0.1');
    if (port !== undefined && reserve(port)) return port;
  }
  throw new Error('no free port on 127.0.0.1');
}

/** Whether nobody else has it. Where the folder cannot be written, only this process keeps its ports apart. */
function reserve(port: number): boolean {
  if (reserved.has(port)) return false;
  const file = join(folder, String(port));
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') {
      if (isHeld(file)) return false;
      rmSync(file, { force: true });
      return reserve(port);
    }
  }
  if (reserved.size === 0) process.once('exit', release);
  reserved.add(port);
  return true;
}

/** By another process that still runs. A file without a number is about to get one. */
function isHeld(file: string): boolean {
  try {
    const holder = Number(readFileSync(file, 'utf8'));
    return holder === 0 || (holder !== process.pid && process.kill(holder, 0));
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

function release(): void {
  for (const port of reserved) rmSync(join(folder, String(port)), { force: true });
}

function listen(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address ? address.port : undefined);
      });
    });
  });
}
