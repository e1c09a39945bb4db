// Processes that a supervisor starts one after the other. Each is told its name, and the names of those before it that have ended.
import { randomUUID } from 'node:crypto';

const own = 'INVOQ_PROCESS';
const before = 'INVOQ_ENDED_PROCESSES';
/** The names of those that ended are told so long: what they held is given to others anyway by then. Locks of domains are shorter. */
const toldForMs = 60_000;
const nameForm = /^[\w-]{1,64}$/;

/** A process that a supervisor has started. */
export interface SucceedingProcess {
  /** No other process has it, nor had. */
  readonly name: string;
  /** Processes before it, whose end the supervisor has seen. */
  readonly ended: readonly string[];
}

/** One process that is to be started. */
interface Successor {
  /** Tells it. */
  readonly env: Readonly<Record<string, string>>;
  /** To be called once its end was seen, and never before: what it holds is taken from it. */
  readonly onEnded: () => void;
}

/** The processes that a supervisor starts in one place, one after the other. */
export class Succession {
  /** When they ended, by their names. */
  readonly #ended = new Map<string, number>();

  /** @param now in ms, of a clock that nobody sets */
  next(now = performance.now()): Successor {
    const name = randomUUID();
    for (const [ended, at] of this.#ended) if (now - at > toldForMs) this.#ended.delete(ended);
    return {
      env: { [own]: name, [before]: [...this.#ended.keys()].join(',') },
      onEnded: () => void this.#ended.set(name, performance.now()),
    };
  }
}

/** What the supervisor of this process has told it; null where it has none. */
export function succeedingProcess(env: NodeJS.ProcessEnv = process.env): SucceedingProcess | null {
  const name = env[own] ?? '';
  if (!nameForm.test(name)) return null;
  const ended = (env[before] ?? '').split(',').filter((one) => nameForm.test(one) && one !== name);
  return { name, ended };
}
