// A schema of a document with what it refers to, in so many bytes: documents describe the whole of a service at each place.
import { isJsonObject } from '#lib/contracts';
import { listOf, textOf, type OpenApiDocument, type Part } from './document.js';

export interface BriefSchema {
  /** References lead to `#/$defs/<name>`. */
  readonly schema: Part;
  /** How deep it is described; null for all of it. */
  readonly levels: number | null;
}

interface Brief {
  /** Levels of fields within fields that are described. */
  readonly levels: number;
  /** Characters of a description. */
  readonly words: number;
}

/** Tried one after the other until the schema fits. */
const briefs: readonly Brief[] = [
  { levels: Infinity, words: 600 },
  { levels: 12, words: 200 },
  { levels: 8, words: 120 },
  { levels: 6, words: 100 },
  { levels: 5, words: 80 },
  { levels: 4, words: 60 },
  { levels: 3, words: 60 },
  { levels: 2, words: 60 },
  { levels: 1, words: 60 },
  { levels: 1, words: 0 },
];
const mostNesting = 200;
/** References and parts within each other that are followed for a mark. */
const mostNested = 8;

const kept: readonly string[] = [
  'type format enum const default pattern multipleOf minimum maximum exclusiveMinimum exclusiveMaximum',
  'minLength maxLength minItems maxItems uniqueItems minProperties maxProperties nullable deprecated',
  'contentEncoding contentMediaType dependentRequired',
].flatMap((line) => line.split(' '));
const ofInner = ['items', 'additionalProperties', 'unevaluatedProperties', 'propertyNames', 'contains'];
const ofSame = ['not', 'if', 'then', 'else'];
const ofSames = ['allOf', 'anyOf', 'oneOf'];

/** `request` leaves out what a service alone sets, `response` what it never gives. */
export type Side = 'request' | 'response';

export interface Briefing {
  readonly side: Side;
  readonly bytes: number;
  /** What stands for bytes, as `format: binary` says; where it is absent they are described as the document does. */
  readonly file?: Part;
}

export function briefSchema(document: OpenApiDocument, given: unknown, briefing: Briefing): BriefSchema {
  let best: BriefSchema = { schema: {}, levels: 0 };
  // The longest that fits: each is shorter than the one before.
  for (let [from, to] = [0, briefs.length]; from < to;) {
    const middle = from === 0 && to === briefs.length ? 0 : (from + to) >> 1;
    const brief = briefs[middle];
    if (!brief) break;
    const copy = new SchemaCopy(document, briefing, brief);
    const schema = copy.whole(given);
    if (schema) {
      best = { schema, levels: copy.isCut ? brief.levels : null };
      to = middle;
    } else from = middle + 1;
  }
  return best;
}

class TooLong extends Error {}

class SchemaCopy {
  isCut = false;
  readonly #document: OpenApiDocument;
  readonly #briefing: Briefing;
  readonly #brief: Brief;
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** References that are still to be followed, by the level at which they stand. */
  readonly #waiting = new Map<number, [name: string, ref: string][]>();
  #bytes = 0;

  constructor(document: OpenApiDocument, briefing: Briefing, brief: Brief) {
    this.#document = document;
    this.#briefing = briefing;
    this.#brief = brief;
  }

  /** Null where it takes more bytes than it may. */
  whole(given: unknown): Part | null {
    try {
      const schema = this.#part(given, 0, 0);
      const defs: [name: string, part: Part][] = [];
      for (let level = 0; this.#waiting.size > 0; level++) {
        const here = this.#waiting.get(level) ?? [];
        for (let next = here.shift(); next; next = here.shift()) defs.push([next[0], this.#part(this.#document.find(next[1]), level, 0)]);
        this.#waiting.delete(level);
      }
      const all = defs.length > 0 ? { ...schema, $defs: Object.fromEntries(defs) } : schema;
      return JSON.stringify(all).length <= this.#briefing.bytes ? all : null;
    } catch (error) {
      if (error instanceof TooLong) return null;
      throw error;
    }
  }

  #part(given: unknown, level: number, nesting: number): Part {
    if (given === false) return { not: {} };
    if (!isJsonObject(given)) return {};
    if (nesting > mostNesting) {
      this.isCut = true;
      return {};
    }
    if (isBinary(given) && this.#briefing.file) return { ...this.#briefing.file, ...this.#description(given) };
    if (typeof given['$ref'] === 'string') return this.#reference(given, given['$ref'], level);
    const copy: Record<string, unknown> = {};
    for (const keyword of kept) if (given[keyword] !== undefined) this.#keep(copy, keyword, given[keyword]);
    Object.assign(copy, this.#description(given));
    const isDeepest = level >= this.#brief.levels;
    if (isDeepest && [...ofInner, 'properties', 'prefixItems'].some((keyword) => isFilled(given[keyword]))) this.isCut = true;
    const same = (part: unknown): Part => this.#part(part, level, nesting + 1);
    for (const keyword of ofSames) {
      const parts = listOf(given[keyword]);
      if (parts.length > 0) this.#keepPart(copy, keyword, parts.map(same));
    }
    for (const keyword of ofSame) if (isJsonObject(given[keyword])) this.#keepPart(copy, keyword, same(given[keyword]));
    if (!isDeepest) this.#inner(copy, given, { level, nesting });
    return nullable(copy);
  }

  #inner(copy: Record<string, unknown>, given: Part, { level, nesting }: { readonly level: number; readonly nesting: number }): void {
    const inner = (part: unknown): Part => this.#part(part, level + 1, nesting + 1);
    for (const keyword of ofInner) {
      const part = given[keyword];
      if (typeof part === 'boolean') this.#keep(copy, keyword, part);
      else if (isJsonObject(part)) this.#keepPart(copy, keyword, inner(part));
    }
    const items = listOf(given['prefixItems']);
    if (items.length > 0) this.#keepPart(copy, 'prefixItems', items.map(inner));
    for (const keyword of ['properties', 'patternProperties', 'dependentSchemas']) {
      const fields = given[keyword];
      if (!isJsonObject(fields)) continue;
      const shown = Object.entries(fields).filter(([, field]) => keyword !== 'properties' || !this.#isHidden(field, level));
      const copies = shown.map(([name, field]): [string, Part] => {
        this.#count(name.length + 4);
        return [name, inner(field)];
      });
      if (copies.length > 0) this.#keepPart(copy, keyword, Object.fromEntries(copies));
    }
    const required = listOf(given['required']).filter((name) => typeof name === 'string' && !this.#isHidden(fieldOf(given, name), level));
    if (required.length > 0) this.#keep(copy, 'required', required);
  }

  #reference(given: Part, ref: string, level: number): Part {
    const target = this.#document.find(ref);
    if (isJsonObject(target) && isBinary(target) && this.#briefing.file) return this.#briefing.file;
    if (!isJsonObject(target)) return target === false ? { not: {} } : this.#description(given);
    // What is only mentioned at the deepest level keeps its type.
    if (level >= this.#brief.levels && !hasBranches(target)) return this.#part({ ...target, description: given['description'] }, level, 0);
    let name = this.#names.get(ref);
    if (name === undefined) {
      name = this.#newName(ref);
      this.#names.set(ref, name);
      // The list itself: the level may be followed at this moment.
      const waiting = this.#waiting.get(level) ?? [];
      waiting.push([name, ref]);
      this.#waiting.set(level, waiting);
    }
    this.#count(name.length + 20);
    const reference = { $ref: `#/$defs/${name}` };
    return given['nullable'] === true ? { anyOf: [reference, { type: 'null' }] } : { ...reference, ...this.#description(given) };
  }

  #newName(ref: string): string {
    const wanted = (/[^/#]+$/.exec(ref)?.[0] ?? 'part').replaceAll(/[^\w-]+/g, '_').slice(0, 40);
    let name = wanted;
    for (let number = 2; this.#taken.has(name); number++) name = `${wanted}_${number}`;
    this.#taken.add(name);
    return name;
  }

  /** Whether a field does not belong to this side. Those of a request at the top are its parameters, which are sent whatever their schema says. */
  #isHidden(field: unknown, level: number): boolean {
    const isRequest = this.#briefing.side === 'request';
    const mark = isRequest ? 'readOnly' : 'writeOnly';
    if (!isJsonObject(field) || (isRequest && level === 0)) return false;
    return this.#isMarked(field, mark, mostNested);
  }

  /** A mark of one of all that must hold is one of the field. */
  #isMarked(field: unknown, mark: 'readOnly' | 'writeOnly', levels: number): boolean {
    if (!isJsonObject(field) || levels === 0) return false;
    if (field[mark] === true) return true;
    const { $ref, allOf } = field;
    if (typeof $ref === 'string' && this.#isMarked(this.#document.find($ref), mark, levels - 1)) return true;
    return Array.isArray(allOf) && allOf.some((part) => this.#isMarked(part, mark, levels - 1));
  }

  #description(given: Part): Part {
    const { words } = this.#brief;
    if (words === 0) return {};
    const said = textOf(given['description'])
      ?.slice(0, words * 2)
      .replaceAll(/\s+/g, ' ')
      .trim();
    if (!said) return {};
    const description = said.length > words ? `${said.slice(0, words - 1).toWellFormed()}…` : said;
    this.#count(description.length + 18);
    return { description };
  }

  #keep(copy: Record<string, unknown>, keyword: string, value: unknown): void {
    this.#keepPart(copy, keyword, value);
    this.#count(JSON.stringify(value)?.length ?? 0);
  }

  /** The same of parts whose bytes are counted already. */
  #keepPart(copy: Record<string, unknown>, keyword: string, part: unknown): void {
    this.#count(keyword.length + 6);
    copy[keyword] = part;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    // The sum is a little less than what comes out; the end is measured exactly.
    if (this.#bytes > this.#briefing.bytes * 1.2) throw new TooLong();
  }
}

function isBinary({ type, format, contentMediaType, contentEncoding }: Part): boolean {
  if (type !== 'string' && type !== undefined) return false;
  return format === 'binary' || (type === undefined && contentEncoding === undefined && contentMediaType === 'application/octet-stream');
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isJsonObject(value) && Object.keys(value).length > 0;
}

function hasBranches(target: Part): boolean {
  return [...ofSames, ...ofSame, '$ref'].some((keyword) => target[keyword] !== undefined);
}

function fieldOf({ properties }: Part, name: unknown): unknown {
  return isJsonObject(properties) && typeof name === 'string' && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** `nullable` of 3.0 beside no type speaks of all that stands beside it. */
function nullable(copy: Record<string, unknown>): Part {
  if (copy['nullable'] !== true || copy['type'] !== undefined) return copy;
  const { nullable: _, description, ...rest } = copy;
  if (Object.keys(rest).length === 0) return description === undefined ? {} : { description };
  return { anyOf: [rest, { type: 'null' }], ...(description !== undefined && { description }) };
}
