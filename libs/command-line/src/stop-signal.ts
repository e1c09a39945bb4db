/** A terminal's Ctrl-C may arrive twice, once from the terminal and once through npm. Only a later one is a second request. */
const echoMs = 500;

interface StopHandlers {
  /** Called once, at the first request to stop. */
  readonly onStop: () => void;
  /** Called when the user asks again: stop at once. */
  readonly onSecondStop: () => void;
}

/** Listens for SIGINT, SIGTERM, SIGHUP and for the end of the parent process. */
export function listenForStop({ onStop, onSecondStop }: StopHandlers): void {
  let firstAt: number | undefined;
  for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) {
    process.on(event, () => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        onStop();
      } else if (performance.now() - firstAt > echoMs && event !== 'disconnect') onSecondStop();
    });
  }
}
