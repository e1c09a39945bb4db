import { readFileSync } from 'node:fs';
import { z } from 'zod';

let known: string | undefined;

/** The version of Invoq, of `package.json` in the working directory; `unknown` without one. */
export function productVersion(): string {
  return (known ??= read());
}

function read(): string {
  try {
    return z.object({ version: z.string() }).parse(JSON.parse(readFileSync('package.json', 'utf8'))).version;
  } catch {
    return 'unknown';
  }
}
