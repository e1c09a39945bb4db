// A named set: the tools that an agent sees and calls, under names that its tenant gives them.
import type { ToolContract } from './define-tool.js';
import { toolNameShape } from './derive/lint-definition.js';
import { isAmong } from './narrowing.js';

export interface Toolset {
  /** Names of tools, with `*` for any characters, as the catalog has them. */
  readonly tools: readonly string[];
  /** Other names, by the names of tools. */
  readonly rename: Readonly<Record<string, string>>;
  /** What each name begins with, renamed or not. Empty for nothing. */
  readonly prefix: string;
  /** Only tools that change nothing. */
  readonly readOnly: boolean;
}

/** A tool that a set has and cannot offer. */
export interface ToolsetFault {
  readonly tool: string;
  /** Under which name. */
  readonly name: string;
  readonly reason: string;
}

export interface OfferedTools {
  /** All versions, each under its name in the set. One with another name has `renames`, and its own name as an alias. */
  readonly tools: readonly ToolContract[];
  readonly faults: readonly ToolsetFault[];
}

/** Whether a set has a tool, by its own name. */
export function isInSet({ tools, readOnly }: Pick<Toolset, 'tools' | 'readOnly'>, contract: ToolContract): boolean {
  return !contract.internal && (!readOnly || contract.effect === 'read') && isAmong(tools, contract);
}

/** The name of a tool in a set. */
function nameInSet({ rename, prefix }: Pick<Toolset, 'rename' | 'prefix'>, tool: string): string {
  return prefix + (Object.hasOwn(rename, tool) ? rename[tool] : tool);
}

/**
 * What a set offers of a catalog. No two tools answer to one name, in any case: a tool whose own name or alias it is has it, and the others are
 * left out. So a name that was stored means the same tool within the set and without it.
 * @param contracts all versions of all tools
 */
export function offeredBySet(set: Toolset, contracts: readonly ToolContract[]): OfferedTools {
  const inSet = contracts.filter((contract) => isInSet(set, contract));
  const names = new Map(inSet.map(({ name }) => [name, nameInSet(set, name)]));
  const owners = new Map(
    inSet.flatMap(({ name, aliases = [] }) => [name, ...aliases].map((own): [string, string] => [own.toLowerCase(), name])),
  );
  const wanted = Map.groupBy(names, ([, offered]) => offered.toLowerCase());
  const reasonOf = (tool: string, offered: string): string | null => {
    if (!toolNameShape.test(offered)) return `its name must match ${toolNameShape.source}`;
    const owner = owners.get(offered.toLowerCase()) ?? tool;
    if (owner !== tool) return `${owner} answers to this name`;
    const others = (wanted.get(offered.toLowerCase()) ?? []).map(([other]) => other).filter((other) => other !== tool);
    return others.length > 0 && offered.toLowerCase() !== tool.toLowerCase() ? `${others.join(', ')} would have the same name` : null;
  };
  const faults = [...names].flatMap(([tool, name]): ToolsetFault[] => {
    const reason = reasonOf(tool, name);
    return reason === null ? [] : [{ tool, name, reason }];
  });
  const left = new Set(faults.map(({ tool }) => tool));
  const tools = inSet.filter(({ name }) => !left.has(name)).map((contract) => renamed(contract, names.get(contract.name) ?? contract.name));
  return { tools, faults: faults.toSorted((one, other) => (one.tool < other.tool ? -1 : 1)) };
}

function renamed(contract: ToolContract, name: string): ToolContract {
  if (name === contract.name) return contract;
  const aliases = [contract.name, ...(contract.aliases ?? [])].filter((alias) => alias !== name);
  return { ...contract, name, aliases, renames: contract };
}
