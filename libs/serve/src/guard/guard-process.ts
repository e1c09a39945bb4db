// What a tool does to the process of all tools costs its own attempt: promises that nobody awaits, errors in timers, process.exit. What
// holds the process itself, such as a loop, is the watchdog's.
import { attemptsHere } from './attempts-here.js';
import { StrayFault } from './stray-fault.js';
import { startWatchdog } from './watchdog.js';

export interface Guard {
  /** What no attempt is to blame for. Without it such a fault ends the process, as it does in every program. */
  readonly onStray?: ((error: Error) => void) | undefined;
  /** How long a tool may keep the process from all others, in ms; 0: as long as it likes. */
  readonly mostBusyMs: number;
}

const guards = new Set<Guard>();
let release = (): void => undefined;

/** From now on the process is guarded. @returns what ends it */
export function guardProcess(guard: Guard): () => void {
  if (guards.size === 0) release = install(guard.mostBusyMs);
  guards.add(guard);
  return () => {
    if (guards.delete(guard) && guards.size === 0) release();
  };
}

function install(mostBusyMs: number): () => void {
  const stopWatchdog = mostBusyMs > 0 ? startWatchdog(mostBusyMs) : () => undefined;
  const restore = (['exit', 'abort', 'kill'] as const).map(forbid);
  const onRejection = (cause: unknown): void => take(new StrayFault('rejection', cause), 'unhandledRejection');
  const onException = (cause: unknown): void => take(new StrayFault('exception', cause), 'uncaughtException');
  process.on('unhandledRejection', onRejection);
  process.on('uncaughtException', onException);
  return () => {
    process.off('unhandledRejection', onRejection);
    process.off('uncaughtException', onException);
    for (const again of restore) again();
    stopWatchdog();
  };
}

function take(fault: StrayFault, event: 'unhandledRejection' | 'uncaughtException'): void {
  const attempt = attemptsHere.getStore();
  if (attempt) return attempt.fail(fault);
  const [told] = [...guards].flatMap(({ onStray }) => (onStray ? [onStray] : []));
  if (told) return told(fault);
  // The program has its own way.
  if (process.listenerCount(event) > 1) return;
  process.stderr.write(`${fault.stack ?? fault.message}\n`);
  process.exit(1);
}

/** Work of an attempt cannot end the process by this function. @returns what undoes it */
function forbid(name: 'exit' | 'abort' | 'kill'): () => void {
  const original: unknown = Reflect.get(process, name);
  if (typeof original !== 'function') return () => undefined;
  const forbidden = (...args: unknown[]): unknown => {
    const attempt = attemptsHere.getStore();
    const isOther = name === 'kill' && Math.abs(Number(args[0])) !== process.pid;
    if (!attempt || isOther) return Reflect.apply(original, process, args);
    const cause = new Error(`process.${name}(${args.map(String).join(', ')})`);
    // The first frame is that of the tool.
    Error.captureStackTrace(cause, forbidden);
    const error = new StrayFault('exit', cause);
    attempt.fail(error);
    throw error;
  };
  Reflect.set(process, name, forbidden);
  return () => void Reflect.set(process, name, original);
}
