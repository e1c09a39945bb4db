// What is wrong with a set, by the tools that its tenant has at the moment.
import { isAmong, isInSet, offeredBySet, Refusal, type ToolContract, type Toolset } from '#lib/contracts';

interface SetFault {
  readonly path: string;
  readonly message: string;
}

/** Throws INVALID_PARAMS that names each fault. @param tools all versions */
export function requireSound(set: Toolset, tools: readonly ToolContract[]): void {
  const details = [...faultsIn(set, tools)];
  if (details.length === 0) return;
  const message = details.map(({ path, message: fault }) => `Parameter '${path}' ${fault}`).join('; ');
  throw new Refusal('INVALID_PARAMS', message, { details });
}

function* faultsIn(set: Toolset, tools: readonly ToolContract[]): Generator<SetFault> {
  const known = tools.filter(({ internal }) => !internal);
  for (const [place, pattern] of set.tools.entries())
    // One with a star may be for tools that come later.
    if (!pattern.includes('*') && !known.some((tool) => isAmong([pattern], tool)))
      yield { path: `tools.${place}`, message: `fits no tool of the tenant: ${pattern}; GET /tools has their names` };
  for (const name of Object.keys(set.rename))
    if (!known.some((tool) => tool.name === name && isInSet(set, tool)))
      yield { path: `rename.${name}`, message: 'is no name of a tool in the set' };
  for (const { tool, name, reason } of offeredBySet(set, known).faults)
    yield { path: Object.hasOwn(set.rename, tool) ? `rename.${tool}` : 'prefix', message: `makes ${tool} '${name}', but ${reason}` };
}
