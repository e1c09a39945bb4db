// Runs the code of a model in an interpreter of its own: JavaScript in WebAssembly, which knows of nothing outside. It runs in a process
// without rights (code-process.ts), so there are two walls.
import { readFileSync } from 'node:fs';
import type { AskWorker } from '#lib/sandbox';
import { JSException, QuickJS, type Deferred, type JSValueHandle } from 'quickjs-wasi';
import { CodeLog } from './code-log.js';
import { endOf, faultOf } from './code-fault.js';
import type { Ask, Code, CodeEnd, CodeResult, Reply } from './messages.js';
import { prelude } from './prelude.js';

const megabyte = 2 ** 20;
const nsPerMs = 1_000_000n;

const interpreter = readFileSync(new URL(import.meta.resolve('quickjs-wasi/quickjs.wasm')));

/**
 * The same code with the same replies in the same order runs the same way: its clock stands still between replies, its random numbers come from
 * its seed, and what one reply sets off is over before the next. So it can run again from its beginning.
 * @param onIdle called each time when it has done all that it can do, and waits for replies
 */
export async function runCode(code: Code, onIdle: (value: null) => void, askWorker: AskWorker): Promise<CodeEnd> {
  const log = new CodeLog(code.logCharacters);
  const time = new ProcessorTime(code.timeMs);
  // Random numbers begin with the time at which the interpreter begins.
  const clock = { at: code.seed };
  const vm = await QuickJS.create({
    wasm: interpreter,
    memoryLimit: code.memoryMb * megabyte,
    interruptHandler: () => time.isOver,
    timezoneOffset: 0,
    wasi: (memory: { readonly buffer: ArrayBuffer }) => ({
      clock_time_get: (_clock: number, _precision: bigint, at: number) => {
        new DataView(memory.buffer).setBigUint64(at, BigInt(clock.at) * nsPerMs, true);
        return 0;
      },
    }),
  });
  clock.at = code.startedAt;
  const { promise: ended, resolve: end } = Promise.withResolvers<CodeEnd>();
  const finish = (result: CodeResult): void => end({ ...result, logs: log.lines });
  let open = 0;
  let main: JSValueHandle | null = null;
  /** Runs a piece of the code, and what follows from it; what cannot go on ends it. */
  const turn = (work: () => void): void => {
    try {
      time.counted(() => {
        work();
        vm.executePendingJobs();
      });
      if (main && look(main)) onIdle(null);
    } catch (error) {
      finish({ ok: false, ...faultOf(error, time.isOver) });
    }
  };
  /** Whether it waits for a reply. */
  const look = (result: JSValueHandle): boolean => {
    if (result.promiseState === 0) {
      if (open === 0) finish({ ok: false, fault: 'stuck', message: 'It waits for a promise that nothing can settle any more' });
      return open > 0;
    }
    void vm.resolvePromise(result).then((settled) => {
      if ('value' in settled) finish(endOf(settled.value.toString()));
      else finish({ ok: false, ...faultOf(new JSException(settled.error), time.isOver) });
    });
    return false;
  };
  const settle = (deferred: Deferred, { json, at }: Reply): void =>
    turn(() => {
      open -= 1;
      clock.at = Math.max(clock.at, at);
      deferred.resolve(vm.newString(json));
    });
  const ask = vm.newFunction('ask', (kind, first, second) => {
    const deferred = vm.newPromise();
    const [what, name, more] = [kind, first, second].map((handle) => (handle?.isString ? handle.toString() : ''));
    const asked = askedOf(what, name ?? '', more ?? '');
    open += 1;
    void askWorker(asked).then((reply) => settle(deferred, reply as Reply));
    return deferred.handle;
  });
  const print = vm.newFunction('print', (line) => {
    if (line?.isString) log.add(line.toString());
    return vm.undefined;
  });
  turn(() => {
    const start = vm.callFunction(vm.evalCode(prelude, '<tools>'), vm.undefined, ask, print, vm.newString(JSON.stringify(code.tools)));
    main = vm.callFunction(start, vm.undefined, vm.newString(code.code));
  });
  const result = await ended;
  vm.dispose();
  return result;
}

function askedOf(kind: string | undefined, first: string, second: string): Ask {
  if (kind === 'call') return { kind, tool: first, input: second };
  return kind === 'search' ? { kind, query: first } : { kind: 'describe', tool: first };
}

/** The time that the code has run, without that in which it waits. */
class ProcessorTime {
  readonly #mostMs: number;
  #beforeMs = 0;
  #since = 0;

  constructor(mostMs: number) {
    this.#mostMs = mostMs;
  }

  get isOver(): boolean {
    return this.#beforeMs + performance.now() - this.#since > this.#mostMs;
  }

  counted(work: () => void): void {
    this.#since = performance.now();
    work();
    this.#beforeMs += performance.now() - this.#since;
  }
}
