import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { root } from '../../scripts/root.js';

/** What V8 writes (Chrome DevTools Protocol, Profiler.Profile), the part that is read here. */
const shape = z.object({
  startTime: z.number(),
  nodes: z.array(z.object({ id: z.number(), callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() }) })),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

export interface CpuProfile extends z.infer<typeof shape> {
  readonly name: string;
}

export interface PlaceTime {
  readonly place: string;
  readonly us: number;
}

export function readProfile(text: string, name: string): CpuProfile {
  return { ...shape.parse(JSON.parse(text)), name };
}

/** Self time between two moments, most first, by package and by function. */
export function selfTimes(
  profile: CpuProfile,
  { fromUs, toUs }: { readonly fromUs: number; readonly toUs: number },
): { readonly packages: readonly PlaceTime[]; readonly functions: readonly PlaceTime[] } {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const packages = new Map<string, number>();
  const functions = new Map<string, number>();
  let at = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    const us = profile.timeDeltas[index] ?? 0;
    at += us;
    const frame = frames.get(id);
    if (at < fromUs || at > toUs || !frame || frame.functionName === '(idle)') continue;
    const owner = packageOf(frame.url) || frame.functionName || 'native';
    add(packages, owner, us);
    add(functions, `${frame.functionName || '(anonymous)'}  ${frame.url ? `${fileOf(frame.url)}:${frame.lineNumber + 1}` : ''}`, us);
  }
  return { packages: sorted(packages), functions: sorted(functions) };
}

/** Our own files each count as a package; Node's inside does as one by its module. */
function packageOf(url: string): string {
  const found = /node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules)/.exec(url)?.[1];
  return found ?? fileOf(url);
}

function fileOf(url: string): string {
  return url.startsWith('file:') ? relative(root, fileURLToPath(url)) : url;
}

function add(sums: Map<string, number>, key: string, us: number): void {
  sums.set(key, (sums.get(key) ?? 0) + us);
}

function sorted(sums: ReadonlyMap<string, number>): readonly PlaceTime[] {
  return [...sums].map(([place, us]) => ({ place, us })).toSorted((a, b) => b.us - a.us);
}
