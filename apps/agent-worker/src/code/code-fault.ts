import { JSException } from 'quickjs-wasi';
import { z } from 'zod';
import { codeFaults, type CodeFault, type CodeResult } from './messages.js';
import { linesBefore } from './prelude.js';

interface Fault {
  readonly fault: CodeFault;
  readonly message: string;
  readonly line?: number | undefined;
}

const messageCharacters = 1_000;
const thrown = z.object({ name: z.string(), message: z.string(), stack: z.string() });

/** What the text says that the prelude gives. */
export function endOf(text: string): CodeResult {
  const kind = text.slice(0, text.indexOf(' '));
  const rest = text.slice(kind.length + 1);
  if (kind === 'json')
    return rest === 'none' ? { ok: false, fault: 'not-json', message: 'It returns a function or a symbol' } : { ok: true, json: rest };
  const fault = codeFaults.find((one) => one === kind);
  if (!fault) throw new Error('the interpreter gave no end of the code');
  const { name, message, stack } = thrown.parse(JSON.parse(rest));
  return { ok: false, fault, message: shown(name, message), line: lineIn(stack) };
}

/** What is wrong with code that was stopped. Throws what is no fault of the code. */
export function faultOf(error: unknown, isOverTime: boolean): Fault {
  // The stack of WebAssembly is full, which is not that of the interpreter: so it is thrown outside of it.
  if (error instanceof RangeError && /call stack/.test(error.message))
    return { fault: 'depth', message: 'Functions or data are nested too deeply' };
  if (error instanceof Error && error.name === 'RuntimeError') return { fault: 'memory', message: 'It needs too much memory' };
  if (!(error instanceof JSException)) throw error;
  const { name, message, stack } = error;
  if (isOverTime && message === 'interrupted') return { fault: 'time', message: 'It runs for too long', line: lineIn(stack) };
  if (message === 'out of memory') return { fault: 'memory', message: 'It needs too much memory', line: lineIn(stack) };
  return { fault: 'threw', message: shown(name, message), line: lineIn(stack) };
}

function shown(name: string, message: string): string {
  return `${name}: ${message}`.toWellFormed().replaceAll('\0', '').slice(0, messageCharacters);
}

/** The first line of the code that a stack names. */
function lineIn(stack: string | undefined): number | undefined {
  const found = /<input>:(\d{1,9})/.exec(stack ?? '')?.[1];
  return found === undefined ? undefined : Math.max(1, Number(found) - linesBefore);
}
