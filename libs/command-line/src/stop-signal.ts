/** A terminal's Ctrl-C may arrive twice, once from the terminal and once through npm. Only a later one is a second request. */
const echoMs = 500;

interface StopHandlers {
  /** Called once, at the first request to stop. */
  readonly onStop: () => void;
  /** Called when the user asks again: stop at once. */
  readonly onSecondStop: () => void;
}

const events = ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const;

/** Listens for SIGINT, SIGTERM, SIGHUP and for the end of the parent process, until it is disposed. */
export function listenForStop({ onStop, onSecondStop }: StopHandlers): Disposable {
  let firstAt: number | undefined;
  const listeners = events.map((event) => {
    const listener = (): void => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        onStop();
      } else if (performance.now() - firstAt > echoMs && event !== 'disconnect') onSecondStop();
    };
    process.on(event, listener);
    return [event, listener] as const;
  });
  return {
    [Symbol.dispose]: () => {
      for (const [event, listener] of listeners) process.removeListener(event, listener);
    },
  };
}
