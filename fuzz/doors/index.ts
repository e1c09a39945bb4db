import { Random } from '../../chaos/random.js';
import type { Case } from '../requests/case.js';
import type { Inventory } from '../requests/inventory.js';
import { chatCase } from './chat.js';
import { keysCase, pageCase, serverCase, ticketCase } from './keys-and-servers.js';
import { mcpCase } from './mcp.js';
import { rawCase } from './raw.js';
import { routeCase } from './routes.js';
import { toolCase } from './tools.js';

type Door = (inventory: Inventory, random: Random) => Case;

/** How many of a hundred cases a door gets. */
const shares: readonly (readonly [share: number, door: Door])[] = [
  [30, routeCase],
  [38, toolCase],
  [12, mcpCase],
  [4, (_, random) => chatCase(random)],
  [2, (_, random) => keysCase(random)],
  [2, (_, random) => ticketCase(random)],
  [2, (_, random) => serverCase(random)],
  [4, (_, random) => pageCase(random)],
  [6, (_, random) => rawCase(random)],
];
const weighted = shares.flatMap(([share, door]) => Array.from({ length: share }, () => door));
const limitedShare = 0.1;

/** The case of this number: the same for the same seed, number, routes and tools. */
export function caseOf({ seed, number }: { readonly seed: number; readonly number: number }, inventory: Inventory): Case {
  const random = new Random(seed, `case-${number}`);
  const made = random.pick(weighted)(inventory, random);
  return random.chance(limitedShare) ? { ...made, limited: true } : made;
}
