import { fixedCases } from './cases/index.js';
import type { SecurityCase } from './case.js';
import { routeCases } from './routes/route-cases.js';
import type { World } from './world/world.js';

/** The written cases, and those of the routes of the running system. */
export async function allCases(world: World): Promise<readonly SecurityCase[]> {
  return [...fixedCases, ...(await routeCases(world))];
}
