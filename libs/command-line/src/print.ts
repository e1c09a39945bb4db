/** Writes one line to standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Writes one line to standard error. */
export function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Does one step of a longer job and prints how long it took. A step that takes more than a second is announced first. */
export async function step<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  const announcement = setTimeout(() => print(`  … ${title}`), 1_000);
  try {
    const result = await work();
    print(`  ✓ ${title}  ${formatSeconds(performance.now() - started)}`);
    return result;
  } finally {
    clearTimeout(announcement);
  }
}

/** Milliseconds as seconds with one decimal, such as `1.3 s`. */
export function formatSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
