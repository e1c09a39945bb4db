/** A terminal's Ctrl-C may arrive twice: from the terminal and again through npm. Only a later one means "now!". */
const echoMs = 500;

interface StopWishes {
  /** Once, at the first wish to stop. */
  readonly onStop: () => void;
  /** When someone asks again: no more patience. */
  readonly onHurry: () => void;
}

export function listenForStop({ onStop, onHurry }: StopWishes): void {
  let firstAt: number | undefined;
  for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) {
    process.on(event, () => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        onStop();
      } else if (performance.now() - firstAt > echoMs && event !== 'disconnect') onHurry();
    });
  }
}
