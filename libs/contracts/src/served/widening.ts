// What a version of a served tool may change without a person: nothing that decides who sees what, or what a call does.
import { isSchema } from '../derive/references.js';
import { mapSchemas } from '../derive/without-keywords.js';
import { canonicalJson, fingerprint } from '../derive/invocation-key.js';
import type { ServedTool } from './served-tool.js';

type Field = keyof ServedTool;

/** Whatever a version says here, `asApproved` shows what was approved. */
const notShown: readonly Field[] = ['version', 'changelog', 'examples'];

/** Fields that may differ in one direction. */
const narrower: { readonly [Name in Field]?: (now: ServedTool[Name], approved: ServedTool[Name]) => boolean } = {
  timeout_ms: (now, approved) => now <= approved,
  max_input_bytes: (now, approved) => now !== undefined && (approved === undefined || now < approved),
  // A higher one is taken up later.
  priority: (now = 0, approved = 0) => now > approved,
  preview: (now) => now === true,
  deprecated: (now) => now === true,
  cache: (now, approved) => {
    if (now === undefined || approved === undefined) return now === undefined;
    const isScopeKept = now.scope === approved.scope || (now.scope ?? 'user') === 'user';
    const areParametersKept = canonicalJson(now.key_params ?? null) === canonicalJson(approved.key_params ?? null);
    return isScopeKept && areParametersKept && now.ttl_seconds <= approved.ttl_seconds;
  },
  input: (now, approved) => isEqual(withoutNewMarks(now, approved), approved),
  output: (now, approved) => isEqual(withoutNewMarks(now, approved), approved),
};

/** The fields by which a version is more than one that is approved: somebody has to look at it. */
export function widenedFields(now: ServedTool, approved: ServedTool): readonly string[] {
  const fields = new Set([...Object.keys(now), ...Object.keys(approved)]);
  return [...fields].filter((name) => isField(name) && widens(name, now, approved)).toSorted();
}

/** A version that no person looks at, as callers and models see it: with the texts and examples of the one that was approved. */
export function asApproved(now: ServedTool, { changelog, examples }: ServedTool): ServedTool {
  const { changelog: _, ...rest } = now;
  return { ...rest, ...(changelog && { changelog }), examples };
}

/** A fingerprint of a contract without its number and what is not shown of it: the same tool under another number has the same. */
export function substanceOf(tool: ServedTool): string {
  return fingerprint(Object.fromEntries(Object.entries(tool).filter(([name]) => !(isField(name) && notShown.includes(name)))));
}

/** What no approval changes under a number that is published: clients and caches hold what it was. */
const fixedByNumber = [
  'effect',
  'idempotent',
  'destructive',
  'cache',
  'single_flight',
  'per_session',
  'revalidates',
  'streaming',
  'secret_life',
] as const satisfies readonly Field[];

/** The fields in which a contract is another than the one that was published under its number, and may not be; `shapeOf` has the others. */
export function changedUnderNumber(now: ServedTool, published: ServedTool): readonly string[] {
  const fields = fixedByNumber.filter((name) => !isEqual(now[name], published[name]));
  const marks = (['input', 'output'] as const).filter((side) => !isEqual(marksIn(now[side]), marksIn(published[side])));
  return [...fields, ...marks.map((side) => `marks of ${side}`)];
}

function widens<Name extends Field>(name: Name, now: ServedTool, approved: ServedTool): boolean {
  if (notShown.includes(name) || isEqual(now[name], approved[name])) return false;
  return narrower[name]?.(now[name], approved[name]) !== true;
}

function isField(name: string): name is Field {
  return name.length > 0;
}

const marks: readonly string[] = ['sensitive', 'secret'];

/** The schema without the marks that it has and the other has not. */
function withoutNewMarks(now: unknown, approved: unknown): unknown {
  const known = new Set(marksIn(approved));
  const without = (part: unknown, place: string): unknown => {
    if (Array.isArray(part)) return part.map((one, index) => without(one, `${place}/${index}`));
    if (!isSchema(part)) return part;
    const kept = Object.entries(part).filter(([name, value]) => !isMark(name, value) || known.has(`${place} ${name}`));
    return Object.fromEntries(kept.map(([name, value]) => [name, mapSchemas(name, value, (one, at) => without(one, `${place}/${at}`))]));
  };
  return without(now, '');
}

/** The places of a schema that are marked, and how. */
function marksIn(schema: unknown): readonly string[] {
  const found: string[] = [];
  const look = (part: unknown, place: string): void => {
    if (Array.isArray(part)) part.forEach((one, index) => look(one, `${place}/${index}`));
    if (!isSchema(part)) return;
    for (const [name, value] of Object.entries(part))
      if (isMark(name, value)) found.push(`${place} ${name}`);
      else mapSchemas(name, value, (one, at) => look(one, `${place}/${at}`));
  };
  look(schema, '');
  return found.toSorted();
}

function isMark(name: string, value: unknown): boolean {
  return marks.includes(name) && value === true;
}

function isEqual(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
