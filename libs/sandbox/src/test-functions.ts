import { readFileSync, writeFileSync } from 'node:fs';
import { env as environment } from 'node:process';

const megabyte = 2 ** 20;
const kept: Uint8Array[] = [];

/** What a text may do to its parser, and what a parser that obeys a text may try. */
export const functions = {
  double: (given: { readonly text: string }) => ({ text: given.text + given.text, at: new Date(0) }),
  pid: () => process.pid,
  endless: (): never => {
    for (;;);
  },
  backtrack: (text: string) => /^(a+)+$/.test(text),
  slowly: async (ms: number) => new Promise<string>((resolve) => setTimeout(() => resolve('done'), ms)),
  fillHeap: () => {
    const all: object[] = [];
    for (;;) all.push({ all });
  },
  fillBuffers: async () => {
    const all: Uint8Array[] = [];
    for (;;) {
      all.push(new Uint8Array(16 * megabyte).fill(1));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  },
  /** Keeps so much for the next task. */
  keep: (megabytes: number) => {
    kept.push(new Uint8Array(megabytes * megabyte).fill(1));
    return process.pid;
  },
  exit: () => process.exit(3),
  fault: () => {
    throw new TypeError('a fault of ours');
  },
  report: (values: readonly number[], onProgress: (value: number) => void) => {
    for (const value of values) onProgress(value);
    return values.length;
  },
  /** Asks all at once. */
  ask: async (values: readonly unknown[], _onProgress: unknown, ask: (value: unknown) => Promise<unknown>) =>
    Promise.all(values.map(async (value) => ask(value))),
  askAndLeave: (value: unknown, _onProgress: unknown, ask: (value: unknown) => Promise<unknown>) => {
    void ask(value);
    return process.pid;
  },
  environment: () => Object.keys(environment),
  read: (path: string) => readFileSync(path, 'utf8').length,
  write: (path: string) => writeFileSync(path, 'x'),
  start: async (program: string) => (await import('node:child_process')).execFileSync(program).toString(),
  connect: async (url: string) => (await import('node:http')).get(url).destroyed,
  fetch: () => typeof globalThis.fetch,
};
