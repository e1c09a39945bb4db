import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { root } from '#lib/command-line';

const frameShape = z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number(), columnNumber: z.number() });

/** What V8 writes (Chrome DevTools Protocol, Profiler.Profile), the part that is read here. */
const shape = z.object({
  startTime: z.number(),
  nodes: z.array(z.object({ id: z.number(), callFrame: frameShape })),
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
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, asWritten(callFrame)]));
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

const maps = new Map<string, SourceMap | null>();

/** Apps are bundled: where a function was before that. Of packages the file alone is known. */
function asWritten(frame: z.infer<typeof frameShape>): z.infer<typeof frameShape> {
  if (!frame.url.startsWith('file:')) return frame;
  const file = fileURLToPath(frame.url);
  if (!maps.has(file)) maps.set(file, mapOf(file));
  const entry = maps.get(file)?.findEntry(frame.lineNumber, frame.columnNumber);
  if (!entry || !('originalSource' in entry) || !entry.originalSource) return frame;
  return { ...frame, url: new URL(entry.originalSource, frame.url).href, lineNumber: entry.originalLine };
}

function mapOf(file: string): SourceMap | null {
  if (!existsSync(`${file}.map`)) return null;
  const payload: SourceMapPayload = JSON.parse(readFileSync(`${file}.map`, 'utf8'));
  return new SourceMap(payload);
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
