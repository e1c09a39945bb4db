/** Writes one line to standard output, with control characters as in JSON. */
export function print(line: string): void {
  process.stdout.write(`${withoutControls(line)}\n`);
}

/** Writes one line to standard error, with control characters as in JSON. */
export function printError(line: string): void {
  process.stderr.write(`${withoutControls(line)}\n`);
}

/** Texts of others, such as the progress of a tenant's tool, must not steer the terminal. Within JSON the value stays the same. */
function withoutControls(line: string): string {
  return line.replace(/[\p{Cc}--[\n\t]]/gv, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
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
