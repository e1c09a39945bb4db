import type { ConnectedDomain } from '#lib/transport';

type Program = ConnectedDomain['programs'][number];

/** A successor connects at most so long before the program is gone, in ms: one that has been there for longer is another program. */
const overlapMs = 60_000;

/** A program that served a version, when it was last seen with it. */
interface Last extends Pick<Program, 'key' | 'name' | 'tools'> {
  /** Epoch ms. */
  readonly seenAt: number;
  /** It was told to stop. */
  readonly hasLeft: boolean;
}

/**
 * Which versions were given up by the program that served them: its successor is connected, and has them no more. A version whose workers
 * are gone is none: they may come back within the grace.
 */
export class Withdrawn {
  /** By whom each version was served when it was last seen, as `queue name@version`. */
  #last: ReadonlyMap<string, readonly Last[]> = new Map();

  /**
   * @param present versions that have a worker, or had one until a moment ago
   * @param now epoch ms
   * @returns those of them that are withdrawn
   */
  look(present: ReadonlySet<string>, domains: readonly ConnectedDomain[], now: number): ReadonlySet<string> {
    const byQueue = Map.groupBy(domains, ({ queue }) => queue);
    const last = new Map<string, readonly Last[]>();
    const withdrawn = new Set<string>();
    for (const field of present) {
      const [queue = '', version = ''] = field.split(' ');
      const here = byQueue.get(queue) ?? [];
      // Who of them serves what is not known.
      if (here.some(({ isCut }) => isCut)) continue;
      const programs = here.flatMap((domain) => domain.programs);
      const serving = programs.filter(({ isLeaving, tools }) => !isLeaving && tools.includes(version));
      const before = (this.#last.get(field) ?? []).map((one) => ({ ...one, hasLeft: one.hasLeft || hasLeft(one, programs) }));
      const known = serving.length > 0 ? serving.map((one) => ({ ...one, seenAt: now, hasLeft: false })) : before;
      if (known.length > 0) last.set(field, known);
      const isGivenUp = (one: Last): boolean => programs.some((program) => isSuccessor(program, one));
      if (serving.length === 0 && known.length > 0 && known.every(isGivenUp)) withdrawn.add(field);
    }
    this.#last = last;
    return withdrawn;
  }
}

function hasLeft({ key, name, tools }: Last, programs: readonly Program[]): boolean {
  return programs.some((one) => one.isLeaving && one.key === key && one.name === name && one.tools.join() === tools.join());
}

/** Two programs may have the same name by chance: then they share a tool, or one was told to stop while the other came. */
function isSuccessor({ key, name, tools, since, isLeaving }: Program, last: Last): boolean {
  if (isLeaving || key !== last.key || name !== last.name || since < last.seenAt - overlapMs) return false;
  const names = new Set(last.tools.map(nameOf));
  return tools.some((tool) => names.has(nameOf(tool))) || (name !== null && last.hasLeft);
}

function nameOf(tool: string): string {
  return tool.split('@', 1)[0] ?? tool;
}
