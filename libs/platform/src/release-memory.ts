import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Long enough for what is loaded with the first use of a connection. */
const afterMs = 2_000;
let timer: NodeJS.Timeout | undefined;

/**
 * Collects garbage once, some 2 s after the last call, and gives the memory back: a start leaves half of the heap behind, which V8 would
 * keep for hours where little happens. Takes some 50 ms.
 */
export function releaseMemoryOfStart(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    collect();
  }, afterMs).unref();
}
