// Rounds of faults, each on systems of its own: one for all faults that leave the history whole, one for each of the others.
import { print } from '#lib/command-line';
import { allOf, check, type Verdict } from './checker/check.js';
import type { Fault } from './faults/fault.js';
import type { FaultRecord, History, SkippedFault } from './history/history.js';
import type { Lab } from './lab.js';
import type { ChaosOptions } from './options.js';
import { Random } from './random.js';
import { brokenRun, run } from './run.js';

interface RoundHooks {
  readonly onStarted: (lab: Lab) => void;
  /** Called before the lab is removed. @param name of the run */
  readonly onEnd: (name: string, lab: Lab) => void;
  readonly onHistory: (name: string, history: History, verdict: Verdict) => void;
}

export interface Outcome {
  readonly verdict: Verdict;
  readonly faults: readonly FaultRecord[];
  readonly skipped: readonly SkippedFault[];
}

export async function runRounds({ seed, seconds, faults, partitions }: ChaosOptions, hooks: RoundHooks): Promise<Outcome> {
  const { possible, skipped } = await sorted(faults);
  const random = new Random(seed);
  const verdicts: Verdict[] = [];
  const records: FaultRecord[] = [];
  const started = performance.now();
  for (let round = 1; round === 1 || performance.now() - started < seconds * 1_000; round++) {
    const ofRound = random.fork(`round-${round}`);
    for (const stage of stagesOf(ofRound.shuffled(possible))) {
      const name = `${round}-${stage.length > 1 ? 'shared' : (stage[0]?.id ?? '')}`;
      print(`Run ${name}`);
      const history = await run({
        random: ofRound.fork(name),
        faults: stage,
        lab: { ...stage[0]?.ownLab, partitions },
        onStarted: hooks.onStarted,
        onEnd: (lab) => hooks.onEnd(name, lab),
      }).catch((error: unknown) => {
        print(`  the run broke off: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        return brokenRun(stage, error);
      });
      const verdict = check(history);
      hooks.onHistory(name, history, verdict);
      verdicts.push(verdict);
      records.push(...history.faults);
    }
  }
  return { verdict: allOf(verdicts), faults: records, skipped };
}

function stagesOf(faults: readonly Fault[]): readonly (readonly Fault[])[] {
  const shared = faults.filter(({ ownLab }) => !ownLab);
  const own = faults.filter(({ ownLab }) => ownLab);
  return [...(shared.length > 0 ? [shared] : []), ...own.map((fault) => [fault])];
}

async function sorted(faults: readonly Fault[]) {
  const possible: Fault[] = [];
  const skipped: SkippedFault[] = [];
  for (const fault of faults) {
    const why = (await fault.obstacle?.()) ?? null;
    if (why === null) possible.push(fault);
    else skipped.push({ id: fault.id, title: fault.title, why });
  }
  return { possible, skipped };
}
