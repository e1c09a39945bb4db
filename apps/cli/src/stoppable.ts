import { exitCodes, listenForStop } from '#lib/command-line';

interface StoppableWork {
  readonly work: (signal: AbortSignal) => Promise<number>;
  /** Called at the first request to stop. A second one exits at once. */
  readonly onStop: () => void;
  /** Called when the work has ended because of that. */
  readonly onStopped: () => void;
}

/** Work that Ctrl-C ends in order, with exit code 130. What it throws for any other reason is thrown. */
export async function stoppable({ work, onStop, onStopped }: StoppableWork): Promise<number> {
  const stopping = new AbortController();
  using _listening = listenForStop({
    onStop: () => {
      onStop();
      stopping.abort();
    },
    onSecondStop: () => process.exit(exitCodes.interrupted),
  });
  try {
    return await work(stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    onStopped();
    return exitCodes.interrupted;
  }
}
