// The child's side of a forked process: reports that it is ready, answers one request at a time, and exits with its parent.

/** @param facts what the parent needs to know to use this process */
export function serveParent(facts: Readonly<Record<string, unknown>>, answer?: (message: unknown) => Promise<unknown>): void {
  process.on('disconnect', () => process.exit());
  process.on('message', (message) => {
    answer?.(message).then(
      (value) => process.send?.({ value }),
      (error: unknown) => process.send?.({ fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.send?.({ value: facts });
}
