import { hash } from 'node:crypto';
import { toolNameShape } from '../derive/lint-definition.js';

/** Stands between the names of server and tool. */
const separator = '__';
const longestName = 64;
const hashDigits = 8;

/** The name under which an outside tool is served, where its own is legal. */
export function outsideName(server: string, tool: string): string {
  return `${server}${separator}${tool}`;
}

/**
 * The names under which the tools of a server are served: their own where that is legal, otherwise a legal form of it. Their order makes
 * no difference. Who was offered before keeps its name, whatever comes beside it; of several that would have the same name, all but the
 * one whose name it is get a digest.
 * @param before the names of an earlier approval, by the tools' own names
 */
export function offeredNames(
  server: string,
  tools: readonly string[],
  before: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const offered = new Map<string, string>();
  const taken = new Set<string>();
  const give = (tool: string, name: string): void => {
    offered.set(tool, name);
    taken.add(name.toLowerCase());
  };
  const sorted = [...new Set(tools)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  for (const tool of sorted) {
    const name = before.get(tool);
    if (name !== undefined && !taken.has(name.toLowerCase())) give(tool, name);
  }
  const isOpen = (tool: string): boolean => !offered.has(tool);
  // Names are matched in any case; small letters come first.
  for (const tool of sorted.filter(isOpen).toReversed()) {
    const name = outsideName(server, tool);
    if (tool !== '' && toolNameShape.test(name) && !taken.has(name.toLowerCase())) give(tool, name);
  }
  const plain = new Map(sorted.filter(isOpen).map((tool) => [tool, plainForm(server, tool)]));
  const wanted = Map.groupBy(plain.values(), (name) => name?.toLowerCase());
  for (const [tool, name] of plain)
    if (name !== null && wanted.get(name.toLowerCase())?.length === 1 && !taken.has(name.toLowerCase())) give(tool, name);
  for (const tool of sorted.filter(isOpen)) {
    let name = withDigest(server, tool);
    for (let again = 1; taken.has(name.toLowerCase()); again++) name = withDigest(server, tool, again);
    give(tool, name);
  }
  return offered;
}

/** The name with `_` for what is illegal in it; null where too little of it is left. */
function plainForm(server: string, tool: string): string | null {
  const name = outsideName(server, legal(tool));
  return /^[\x20-\x7e]+$/.test(tool) && /[a-z0-9]/i.test(tool) && name.length <= longestName ? name : null;
}

function withDigest(server: string, tool: string, again = 0): string {
  const digest = hash('sha256', again === 0 ? tool : `${tool}\n${again}`, 'hex').slice(0, hashDigits);
  const room = longestName - server.length - separator.length - hashDigits - 1;
  return outsideName(server, `${legal(tool).slice(0, room).replace(/_+$/, '') || 'tool'}_${digest}`);
}

function legal(tool: string): string {
  return tool.replaceAll(/[^a-zA-Z0-9_-]+/g, '_').replace(/^_+(?=.)|(?<=.)_+$/g, '');
}
