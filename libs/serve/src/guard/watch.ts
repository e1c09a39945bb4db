/** Where the messages of a worker go, and which attempts begin and end there. */
export type WatchdogMessage =
  | { readonly kind: 'began'; readonly attempt: string; readonly tool: string; readonly url: string; readonly key: string }
  | { readonly kind: 'ended'; readonly attempt: string };

interface WatchdogData {
  readonly beats: Int32Array;
  readonly mostBusyMs: number;
  readonly heapLimit: number;
  readonly attemptsName: string;
  readonly folder: string;
}

type Inspector = Pick<typeof import('node:inspector'), 'Session'>;
type Threads = Pick<typeof import('node:worker_threads'), 'parentPort' | 'workerData'>;
/** Whose work the main thread did, and at which line. Empty where that is nobody's. */
interface Sample {
  readonly place: string;
  readonly attempt: string;
  readonly tool: string;
}

type Files = Pick<typeof import('node:fs'), 'readFileSync' | 'writeSync'>;

/**
 * The program of the watchdog's thread: it runs as its text alone, so it may name nothing of this module. Where the main thread is silent
 * for too long, or its memory is nearly full, it asks the debugger which tool runs at which line, tells the gateway that this attempt has
 * failed and that the others were cut off, and ends the process: nothing less stops a loop.
 */
export function watch({ Session }: Inspector, { parentPort, workerData }: Threads, { readFileSync, writeSync }: Files): void {
  const { beats, mostBusyMs, heapLimit, attemptsName, folder }: WatchdogData = workerData;
  const running = new Map<string, Extract<WatchdogMessage, { kind: 'began' }>>();
  parentPort?.on('message', (message: WatchdogMessage) => {
    if (message.kind === 'began') running.set(message.attempt, message);
    else running.delete(message.attempt);
  });
  const tickMs = 100;
  let [beat, heardAt, tickAt, isEnding] = [-1, performance.now(), performance.now(), false];
  let waitedBefore = waitedMs();

  setInterval(() => {
    const now = performance.now();
    const beatNow = Atomics.load(beats, 0);
    // After a pause of the whole process nobody is to blame.
    if (beatNow !== beat || now - tickAt > 20 * tickMs || Atomics.load(beats, 1) === 1) [heardAt, waitedBefore] = [now, waitedMs()];
    [beat, tickAt] = [beatNow, now];
    if (isEnding) return;
    const busyMs = now - heardAt > mostBusyMs ? now - heardAt - (waitedMs() - waitedBefore) : 0;
    if (busyMs > mostBusyMs) void end(`has kept the process of all tools busy for ${Math.round(busyMs / 1_000)} s`);
    else if (process.memoryUsage.rss() > 0.8 * heapLimit) void checkMemory();
  }, tickMs);

  /** For how long the main thread has waited for a processor in its life, in ms: on a busy machine that is no fault of a tool. */
  function waitedMs(): number {
    try {
      return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6 || 0;
    } catch {
      // Linux alone tells.
      return 0;
    }
  }

  /** Of objects: what they hold outside, such as the bytes of a file, does not count. */
  async function checkMemory(): Promise<void> {
    isEnding = true;
    const used = async () => Number((await asked(open(), 'Runtime.getHeapUsage')).usedSize);
    if ((await used().catch(() => 0)) > 0.85 * heapLimit) {
      await asked(open(), 'HeapProfiler.collectGarbage').catch(() => undefined);
      if ((await used().catch(() => heapLimit)) > 0.85 * heapLimit)
        return end(`has filled the memory of the process of all tools, ${Math.round(heapLimit / 2 ** 20)} MB`);
    }
    isEnding = false;
  }

  async function end(what: string): Promise<void> {
    isEnding = true;
    const { place, attempt, tool } = await paused().catch(() => ({ place: '', attempt: '', tool: '' }));
    const [only, ...others] = running.values();
    // The debugger is not heard in a wait of the system.
    const culprit = running.get(attempt) ?? (others.length === 0 && tool === '' ? only : undefined);
    const named = culprit?.tool ?? (tool || [...running.values()].map((one) => one.tool).join(' or ') || 'a file of the tools');
    const message = `${named} ${what}; the process ends. Let long work wait for something, or do it in a worker thread`;
    writeSync(2, `✗ ${place && `${place}: `}${message}\n`);
    await Promise.all([...running.values()].map(async (one) => tell(one, one === culprit ? `${message}${place && ` (${place})`}` : null)));
    process.kill(process.pid, 'SIGKILL');
  }

  /** @param fault null: the attempt was cut off by another one */
  async function tell(one: { url: string; key: string; attempt: string; tool: string }, fault: string | null): Promise<void> {
    const { url, key, attempt } = one;
    const cause = { type: 'ProcessHeld', message: fault };
    const message =
      fault === null ? { type: 'return', attempt } : { type: 'failed', attempt, failure: 'internal', retryable: false, cause };
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ messages: [message] });
    await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(3_000) }).catch(() => undefined);
  }

  function open(): InstanceType<Inspector['Session']> {
    const session = new Session();
    session.connectToMainThread();
    return session;
  }

  /** Rejects where the main thread does not hear: it waits for the system. */
  async function asked(session: InstanceType<Inspector['Session']>, method: string, params: object = {}): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error(`no answer to ${method}`)), 5_000);
      session.post(method, params, (error, result) => (error ? reject(error) : resolve({ ...result })));
    });
  }

  /** Stops the main thread where it is, again and again, and reads whose work that mostly is: memory may be filled between waits. */
  async function paused(): Promise<Sample> {
    const session = open();
    const files = new Map<string, string>();
    session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => void files.set(scriptId, url));
    await asked(session, 'Debugger.enable');
    const samples: Sample[] = [];
    let last: Sample = { place: '', attempt: '', tool: '' };
    for (let tries = 0; tries < 20; tries++) {
      last = await sample(session, files).catch(() => last);
      if (last.attempt !== '') samples.push(last);
      if (samples.length === 3) break;
      await asked(session, 'Debugger.resume').catch(() => undefined);
      // A stop that is asked for at once is forgotten.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const count = ({ attempt }: Sample) => samples.filter((one) => one.attempt === attempt).length;
    return samples.toSorted((a, b) => count(b) - count(a))[0] ?? last;
  }

  async function sample(session: InstanceType<Inspector['Session']>, files: ReadonlyMap<string, string>): Promise<Sample> {
    const stopped = new Promise<import('node:inspector').Debugger.PausedEventDataType>((resolve, reject) => {
      setTimeout(() => reject(new Error('not stopped')), 2_000);
      session.once('Debugger.paused', ({ params }) => resolve(params));
    });
    stopped.catch(() => undefined);
    await asked(session, 'Debugger.pause');
    const { callFrames } = await stopped;
    const lines = callFrames.map(({ location, url }) => `${files.get(location.scriptId) ?? url}:${location.lineNumber + 1}`);
    const line = lines.find((one) => one.startsWith('file:') && !one.includes('/node_modules/')) ?? '';
    const store = `globalThis[Symbol.for(${JSON.stringify(attemptsName)})]?.getStore()`;
    const callFrameId = callFrames[0]?.callFrameId;
    const read = async (field: string): Promise<string> => {
      const expression = `String(${store}?.${field} ?? '')`;
      const { result } = await asked(session, 'Debugger.evaluateOnCallFrame', { callFrameId, expression, returnByValue: true });
      return typeof result === 'object' && result !== null && 'value' in result ? String(result.value) : '';
    };
    const file = decodeURIComponent(line.replace(/^file:\/\//, ''));
    const place = file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file;
    return { place, attempt: await read('attempt'), tool: await read('tool') };
  }
}
