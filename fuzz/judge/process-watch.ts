// Reads what the processes of the system write while they run.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { AppProcess } from '#lib/testing';
import { basename } from 'node:path';
import { insideLine, type InsideLine } from '../inside/lines.js';
import type { Fault } from './judge-exchange.js';

type Stall = Extract<InsideLine, { event: 'fuzz-stall' }>;
type Memory = Extract<InsideLine, { event: 'fuzz-memory' }>;

/** A process may take nothing else for so long, counted in time that it had the processor. */
export const maxStallMs = 400;
const deadly =
  /unhandledRejection|uncaughtException|MaxListenersExceeded|"level":"fatal"|heap out of memory|DeprecationWarning|TimeoutNegativeWarning|TimeoutOverflowWarning/;

/** Workers whose upstreams are the stores alone: nothing that a caller sends may make them fail. */
const withoutUpstream = /"name":"(profile|memotree|knowledge)-worker"/;

/** A store that answers late is no such error: it is answered as 503. */
const ownErrors = /"type":"(Type|Range|Reference|Syntax)Error"|Something failed on our side/;

/** Whether a line tells of a failure that no upstream has caused. */
function isOwnFault(line: string): boolean {
  if (line.includes('"event":"turn-lost"')) return true;
  if (line.includes('"event":"request-failed"')) return ownErrors.test(line);
  return line.includes('"error_code":"EXECUTION_ERROR"') && withoutUpstream.test(line);
}

export class ProcessWatch {
  readonly #app: AppProcess;
  readonly #pid: number | undefined;
  #offset: number;
  #rest = '';
  readonly name: string;
  readonly stalls: Stall[] = [];
  /** Gaps in which the process had no processor for most of the time. */
  starved = 0;
  readonly memory: Memory[] = [];
  readonly faults: Fault[] = [];
  /** Lines of level error by their event, the first of each. */
  readonly errors = new Map<string, { count: number; readonly first: string }>();

  constructor(app: AppProcess) {
    this.#app = app;
    this.#pid = app.pid;
    this.name = basename(app.logFile, '.log');
    this.#offset = statSync(app.logFile).size;
  }

  /** Reads what is new. */
  look(): void {
    if (this.#app.pid !== this.#pid) this.#addOnce('process ended', `${this.name} ended`);
    const size = statSync(this.#app.logFile).size;
    if (size === this.#offset) return;
    const bytes = Buffer.alloc(size - this.#offset);
    const file = openSync(this.#app.logFile, 'r');
    readSync(file, bytes, 0, bytes.length, this.#offset);
    closeSync(file);
    this.#offset = size;
    const lines = (this.#rest + bytes.toString('utf8')).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#read(line);
  }

  #read(line: string): void {
    if (line.includes('"event":"fuzz-')) return this.#readInside(insideLine.parse(JSON.parse(line)));
    if (deadly.test(line)) this.faults.push({ rule: 'log', detail: `${this.name}: ${line.slice(0, 1_500)}` });
    if (isOwnFault(line)) this.faults.push({ rule: 'own fault', detail: `${this.name}: ${line.slice(0, 1_500)}` });
    if (!line.includes('"level":"error"')) return;
    const what = [/"event":"([\w-]+)"/, /"route":"([^"]+)"/, /"message":"([^"]{0,80})/].map((part) => part.exec(line)?.[1] ?? '').join(' ');
    const seen = this.errors.get(what);
    if (seen) seen.count += 1;
    else this.errors.set(what, { count: 1, first: line });
  }

  #readInside(line: InsideLine): void {
    if (line.event === 'fuzz-memory') return void this.memory.push(line);
    if (line.event === 'fuzz-polluted') return this.#addOnce('polluted', `${this.name}: Object.prototype has ${line.keys.join(', ')}`);
    if (line.cpu_ms < maxStallMs) {
      this.starved += 1;
      return;
    }
    this.stalls.push(line);
    this.faults.push({
      rule: 'stall',
      detail: `${this.name}: ${line.wall_ms} ms (${line.cpu_ms} ms of processor) before ${new Date(line.at).toISOString()}`,
    });
  }

  #addOnce(rule: string, detail: string): void {
    if (!this.faults.some((fault) => fault.rule === rule)) this.faults.push({ rule, detail });
  }
}
