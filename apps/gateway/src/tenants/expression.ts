import { Environment, serialize, type ASTNode } from '@marcbachmann/cel-js';

/** What expressions may look at: by name a type of CEL, or the fields of an object with theirs. */
export type Variables<Looked> = { readonly [Name in keyof Looked]: string | { readonly schema: Readonly<Record<string, string>> } };

/** A part of a condition, of which all have to hold, or one. */
export interface Part {
  readonly text: string;
  /** Null where it was not reached, or could not be worked out. */
  readonly value: boolean | null;
}

/** A parsed condition. */
export interface Condition<Looked> {
  /** Whether it holds. Throws ExpressionError where that cannot be worked out. */
  readonly holds: (looked: Looked) => boolean;
  /** The parts that `&&` or `||` joins, in their order, each with what it comes to by itself. */
  readonly explain: (looked: Looked) => readonly Part[];
}

/** A parsed expression that names a thing. */
export interface Key<Looked> {
  /** As text; null where it gives no text, number or truth. Throws ExpressionError where it takes too long. */
  readonly of: (looked: Looked) => string | null;
}

/** @limit a tenant: characters of an expression; INVALID_PARAMS */
const maxExpressionCharacters = 2_000;
const maxShownParts = 20;

/** Thrown for what is no expression, and where one cannot be worked out; the message says what is wrong. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

/** Conditions in CEL over certain variables. They are parsed once, bounded in size, and never run as code of this process. */
export class Expressions<Looked extends object> {
  readonly #environment: Environment;

  constructor(variables: Variables<Looked>) {
    this.#environment = new Environment({
      limits: { maxAstNodes: 300, maxDepth: 24, maxListElements: 100, maxMapEntries: 50, maxCallArguments: 8 },
      homogeneousAggregateLiterals: false,
    });
    for (const [name, declared] of Object.entries<string | { readonly schema: Readonly<Record<string, string>> }>(variables)) {
      if (typeof declared === 'string') this.#environment.registerVariable(name, declared);
      else this.#environment.registerVariable(name, { schema: { ...declared.schema } });
    }
  }

  /**
   * Loops over lists do not nest, and there is neither `matches`, whose pattern may take for ever, nor `cel.bind`, which doubles a list with
   * each use. Throws ExpressionError.
   */
  condition(text: string): Condition<Looked> {
    const { parsed, parts } = this.#checked(text);
    const explained = parts.slice(0, maxShownParts).map((part) => ({ text: part, run: part === text ? parsed : this.#parse(part) }));
    return {
      holds: (looked) => truthOf(parsed, looked),
      explain: (looked) => explained.map(({ text: part, run }) => ({ text: part, value: valueOf(run, looked) })),
    };
  }

  /** As a condition, with any other value that has a text. Throws ExpressionError. */
  key(text: string): Key<Looked> {
    const { parsed, type } = this.#typed(text);
    if (type === undefined || !keyTypes.has(type))
      throw new ExpressionError(`must be a text, a number or true or false, and is of the type ${type}`);
    return { of: (looked) => textOf(parsed, looked) };
  }

  #checked(text: string) {
    const { parsed, type } = this.#typed(text);
    if (type !== 'bool' && type !== 'dyn') throw new ExpressionError(`must be true or false, and is of the type ${type}`);
    return { parsed, parts: partsOf(parsed.ast).map((node) => serialize(node)) };
  }

  #typed(text: string) {
    if (text.length > maxExpressionCharacters) throw new ExpressionError(`must have at most ${maxExpressionCharacters} characters`);
    const parsed = this.#parse(text);
    const fault = faultIn(parsed.ast, 0);
    if (fault) throw new ExpressionError(fault);
    const { valid, type, error } = parsed.check();
    if (!valid) throw new ExpressionError(firstLine(error));
    return { parsed, type };
  }

  #parse(text: string) {
    try {
      return this.#environment.parse(text);
    } catch (error) {
      throw new ExpressionError(firstLine(error));
    }
  }
}

function truthOf(run: (looked: object) => unknown, looked: object): boolean {
  let result: unknown;
  try {
    result = run({ ...looked });
  } catch (error) {
    throw new ExpressionError(firstLine(error));
  }
  if (typeof result !== 'boolean') throw new ExpressionError('is neither true nor false');
  return result;
}

const keyTypes = new Set(['string', 'int', 'uint', 'double', 'bool', 'dyn']);

function textOf(run: (looked: object) => unknown, looked: object): string | null {
  let value: unknown;
  try {
    value = run({ ...looked });
  } catch {
    return null;
  }
  // 17 and '17' are the same to people.
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : null;
}

function valueOf(run: (looked: object) => unknown, looked: object): boolean | null {
  try {
    const value = run({ ...looked });
    return typeof value === 'boolean' ? value : null;
  } catch {
    return null;
  }
}

/** What the outermost `&&` or `||` joins, from left to right. */
function partsOf(node: ASTNode): readonly ASTNode[] {
  const joint = node.op;
  if (joint !== '&&' && joint !== '||') return [node];
  return node.args.flatMap((side) => (side.op === joint ? partsOf(side) : [side]));
}

const loops = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);
const refused = new Set(['matches', 'bind']);

/** @param depth of the loops around it */
function faultIn(node: unknown, depth: number): string | null {
  if (Array.isArray(node)) return node.map((one) => faultIn(one, depth)).find((fault) => fault !== null) ?? null;
  if (!isNode(node)) return null;
  const [name] = node.op === 'rcall' ? node.args : [null];
  if (typeof name === 'string' && refused.has(name)) return `must not use ${name}`;
  const inside = typeof name === 'string' && loops.has(name) ? depth + 1 : depth;
  return inside > 1 ? 'must not have a loop within a loop' : faultIn(node.args, inside);
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? error.message) : 'is no expression';
}
