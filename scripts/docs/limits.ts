// The page of all limits. A constant or a setting that bounds what others may do says so in its comment: `@limit group: what; beyond`.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '#lib/command-line';
import { domains, errorCodes } from '#lib/contracts';
import { gatewaySettings } from '../../apps/gateway/src/config.js';
import { code, plain, tableOf } from './page.js';

export interface Limit {
  readonly group: string;
  readonly what: string;
  /** The code of the error, or what happens in place of one; empty where nothing is lost. */
  readonly beyond: string;
  readonly figure: string;
  /** Null for one that is the same everywhere. */
  readonly setting: string | null;
}

/** The order in which the page shows them. */
const groups = ['calls', 'rates', 'places', 'a tenant', 'own tools', 'outside servers', 'chats', 'code', 'texts and files', 'storage'];
const tagShape = /^(?<group>[^:]+): (?<what>.+?)(?:; (?<beyond>[^;]+))?$/s;

/** Where the page is. `npm run format` writes it. */
export const limitsFile = 'docs/reference/limits.md';

export function limitsDocument(): string {
  const limits = allLimits();
  const sections = groups.map((group) => {
    const rows = limits
      .filter((limit) => limit.group === group)
      .map(({ what, figure, setting, beyond }) => [plain(what), figure, setting ? code(setting) : '', shownBeyond(beyond)]);
    return `## ${group[0]?.toUpperCase()}${group.slice(1)}\n\n${tableOf(['limit', 'figure', 'setting', 'beyond it'], rows)}`;
  });
  return `# Limits

Every bound of Invoq: its figure, the setting that changes it, and what happens beyond it. A figure with a setting is the default.

\`npm run format\` writes this page from the sources, where each bound stands. The page of a [tool](../../libs/contracts/src/tools/index.ts) has what its parameters may be,
and the [settings](../../.env.example) say what a worker takes at once.

${sections.join('\n\n')}
`;
}

/** Those of domains, then the others in the order of their files. Throws for a tag that cannot be read, naming its file. */
export function allLimits(): readonly Limit[] {
  return [...Object.values(domains).map(limitOfDomain), ...limitsOfSources()];
}

function limitOfDomain({ name, maxOpen }: (typeof domains)[keyof typeof domains]): Limit {
  const what = `open calls in a partition of the domain ${name}`;
  return { group: 'places', what, beyond: 'OVERLOADED', figure: shown(name, maxOpen), setting: 'MAX_OPEN' };
}

function limitsOfSources(): readonly Limit[] {
  return globSync('{apps,libs}/*/src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
    .flatMap((file) => limitsIn(file, readFileSync(join(root, file), 'utf8')));
}

/** @param text the source of a module */
export function limitsIn(file: string, text: string): readonly Limit[] {
  if (!text.includes('@limit ')) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Limit[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isVariableStatement(node) || ts.isPropertyAssignment(node)) {
      const tag = ts.getJSDocTags(node).find(({ tagName }) => tagName.text === 'limit');
      if (tag) found.push({ ...readTag(file, tag), ...readFigure(file, node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  const tags = text.match(/@limit /g)?.length ?? 0;
  if (found.length !== tags)
    throw new Error(`${file} has ${tags} tags @limit, of which ${found.length} stand before a constant or a setting`);
  return found;
}

function readTag(file: string, tag: ts.JSDocTag): Pick<Limit, 'group' | 'what' | 'beyond'> {
  const text = (ts.getTextOfJSDocComment(tag.comment) ?? '').replaceAll(/\s+/g, ' ').trim();
  const { group = '', what = '', beyond = '' } = tagShape.exec(text)?.groups ?? {};
  if (!groups.includes(group)) throw new Error(`${file}: @limit ${text}: the group must be one of ${groups.join(', ')}`);
  return { group, what, beyond };
}

function readFigure(file: string, node: ts.VariableStatement | ts.PropertyAssignment): Pick<Limit, 'figure' | 'setting'> {
  if (ts.isPropertyAssignment(node)) {
    const setting = node.name.getText();
    const schema = Object.entries(gatewaySettings).find(([name]) => name === setting)?.[1];
    if (!schema) throw new Error(`${file}: @limit stands at ${setting}, which is no setting of the gateway`);
    return { figure: shown(setting, schema.parse(undefined)), setting };
  }
  const [constant] = node.declarationList.declarations;
  const name = constant?.name.getText() ?? '';
  const value = numberOf(constant?.initializer);
  if (value === null) throw new Error(`${file}: @limit stands at ${name}, which is no number`);
  return { figure: shown(name, value), setting: null };
}

/** The value of literals, and of products and powers of them. */
function numberOf(node: ts.Expression | undefined): number | null {
  if (!node) return null;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (!ts.isBinaryExpression(node)) return null;
  const [left, right] = [numberOf(node.left), numberOf(node.right)];
  if (left === null || right === null) return null;
  switch (node.operatorToken.kind) {
    case ts.SyntaxKind.AsteriskToken:
      return left * right;
    case ts.SyntaxKind.AsteriskAsteriskToken:
      return left ** right;
    default:
      return null;
  }
}

/** In the unit that the name ends with. */
function shown(name: string, value: unknown): string {
  if (typeof value !== 'number') throw new Error(`${name} is ${String(value)}, and no number`);
  if (/bytes/i.test(name) && value >= 1_024) return inUnits(value, [1_024, 'KiB'], [1_024 ** 2, 'MiB'], [1_024 ** 3, 'GiB']);
  if (name.endsWith('Ms')) return inUnits(value, [1, 'ms'], [1_000, 's'], [86_400_000, 'days']);
  return value.toLocaleString('en-US');
}

/** The largest unit of which the value is a whole number, or has one digit behind the point. */
function inUnits(value: number, ...units: readonly (readonly [size: number, name: string])[]): string {
  const [size, name] = units.findLast((unit) => value >= unit[0]) ?? [1, ''];
  return `${(value / size).toLocaleString('en-US', { maximumFractionDigits: 1 })} ${name}`;
}

function shownBeyond(beyond: string): string {
  return Object.hasOwn(errorCodes, beyond) ? code(beyond) : plain(beyond);
}
