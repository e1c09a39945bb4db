import { Environment, type ASTNode } from '@marcbachmann/cel-js';

/** What an expression may look at. */
export interface Looked {
  readonly args: Readonly<Record<string, unknown>>;
  readonly caller: Readonly<Record<string, unknown>>;
  readonly tool: Readonly<Record<string, unknown>>;
}

const maxExpressionCharacters = 2_000;

/** Thrown for what is no expression; the message says what is wrong. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

const environment = new Environment({
  limits: { maxAstNodes: 300, maxDepth: 24, maxListElements: 100, maxMapEntries: 50, maxCallArguments: 8 },
  homogeneousAggregateLiterals: false,
})
  .registerVariable('args', 'map')
  .registerVariable('caller', 'map')
  .registerVariable('tool', 'map');

/**
 * A condition in CEL over `args`, `caller` and `tool`: parsed once, bounded in size, and never run as code of this process. Loops over lists do
 * not nest, and there is no `matches`: a pattern may take for ever. Throws ExpressionError.
 * @returns what says whether it holds; that throws where it cannot be worked out
 */
export function conditionOf(text: string): (looked: Looked) => boolean {
  if (text.length > maxExpressionCharacters) throw new ExpressionError(`must have at most ${maxExpressionCharacters} characters`);
  const parsed = parse(text);
  const fault = faultIn(parsed.ast, 0);
  if (fault) throw new ExpressionError(fault);
  const { valid, type, error } = parsed.check();
  if (!valid) throw new ExpressionError(firstLine(error));
  if (type !== 'bool' && type !== 'dyn') throw new ExpressionError(`must be true or false, and is of the type ${type}`);
  return (looked) => {
    const result: unknown = parsed({ ...looked });
    if (typeof result !== 'boolean') throw new ExpressionError('is neither true nor false');
    return result;
  };
}

function parse(text: string) {
  try {
    return environment.parse(text);
  } catch (error) {
    throw new ExpressionError(firstLine(error));
  }
}

const loops = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/** @param depth of the loops around it */
function faultIn(node: unknown, depth: number): string | null {
  if (Array.isArray(node)) return node.map((one) => faultIn(one, depth)).find((fault) => fault !== null) ?? null;
  if (!isNode(node)) return null;
  const [name] = node.op === 'rcall' ? node.args : [null];
  if (name === 'matches') return 'must not use matches';
  const inside = typeof name === 'string' && loops.has(name) ? depth + 1 : depth;
  return inside > 1 ? 'must not have a loop within a loop' : faultIn(node.args, inside);
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? error.message) : 'is no expression';
}
