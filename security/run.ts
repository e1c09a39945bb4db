import type { SecurityCase } from './case.js';
import type { World } from './world/world.js';

export interface CaseResult {
  readonly of: SecurityCase;
  /** What was wrong; null when the system held. */
  readonly fault: string | null;
  readonly ms: number;
}

/** Cases that run at the same time. Each has things of its own, or only reads. */
const atOnce = 4;

/** Runs the cases in an order that the seed decides. */
export async function runCases(cases: readonly SecurityCase[], world: World): Promise<readonly CaseResult[]> {
  const waiting = [...world.random.shuffled(cases)];
  const results: CaseResult[] = [];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await runCase(next, world));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

async function runCase(of: SecurityCase, world: World): Promise<CaseResult> {
  const started = performance.now();
  const fault = await of.attack(world).then(
    () => null,
    (error: unknown) => (error instanceof Error ? toldOf(error) : String(error)),
  );
  return { of, fault, ms: performance.now() - started };
}

/** With its causes: of a request that could not be sent the first says only that it failed. */
function toldOf({ name, message, cause }: Error): string {
  return `${name}: ${message}${cause instanceof Error ? `, by ${toldOf(cause)}` : ''}`;
}
