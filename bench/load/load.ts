import { z } from 'zod';
import { ForkedProcess } from '../system/forked-process.js';
import type { Target } from './call.js';
import { loadReply, type LoadReply, type LoadRequest } from './messages.js';
import { subjectNames, type SubjectName } from './subjects.js';

/** The processes that make the load, one for each subject. They differ only in what they call. */
export class Loads {
  readonly #processes: ReadonlyMap<SubjectName, ForkedProcess>;

  private constructor(processes: ReadonlyMap<SubjectName, ForkedProcess>) {
    this.#processes = processes;
  }

  static async start(target: Target, owner: AsyncDisposableStack): Promise<Loads> {
    const processes = new Map<SubjectName, ForkedProcess>();
    for (const name of subjectNames) {
      const started = await ForkedProcess.start(
        { program: 'load-process.js', args: [name], env: { BENCH_TARGET: JSON.stringify(target) } },
        z.object({}),
      );
      processes.set(name, owner.use(started.process));
    }
    return new Loads(processes);
  }

  pidOf(name: SubjectName): number {
    return this.#of(name).pid;
  }

  ask(name: SubjectName, request: LoadRequest): Promise<LoadReply> {
    return this.#of(name).request(request, loadReply);
  }

  #of(name: SubjectName): ForkedProcess {
    const found = this.#processes.get(name);
    if (!found) throw new RangeError(`no load process for ${name}`);
    return found;
  }
}
