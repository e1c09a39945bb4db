/** One call, finished when its answer was read and found right. Throws when it was not. */
export type Call = () => Promise<void>;

/** What one subject of the bench is called through. Each caller has a connection of its own where the protocol has any. */
export interface Driver extends AsyncDisposable {
  readonly calls: readonly Call[];
  /** Answers so far that a worker of ours computed. */
  readonly workerRuns: () => number;
}

/** Where the subjects are. */
export interface Target {
  readonly redisUrl: string;
  readonly echoUrl: string;
  readonly gatewayUrl: string;
  readonly apiKey: string;
}

export const noRuns = (): number => 0;

export function assertSame(sent: unknown, received: unknown): void {
  if (sent !== received) throw new Error(`the answer is not the one that was asked for: ${String(received).slice(0, 200)}`);
}
