// Messages that a caller can get, as the sources make them: the texts at each place where a refusal, a fault, an event or a warning is made.
// A name is followed to its constant, a function to what it returns, and a parameter to those who call its function.
import ts from 'typescript';
import { Sources } from './sources.js';
import {
  calledName,
  isExportedFunction,
  isLiteralName,
  isOfSchema,
  isText,
  joined,
  localOf,
  nameOf,
  parameterOf,
  placeOf,
  propertyOf,
  push,
  returnsIn,
  returnsOf,
  type ParameterPlace,
} from './syntax.js';

/** A message; `{}` stands for what is known at run time alone. */
export interface Message {
  readonly text: string;
  readonly at: string;
}
export interface Collected {
  readonly messages: readonly Message[];
  /** Places where a message comes from elsewhere: `file: expression`. */
  readonly unread: readonly string[];
}

/** Calls whose argument of this number is told, and its property where one is named. */
interface Told {
  readonly name: string;
  readonly argument: number;
  readonly property?: string | undefined;
  /** Where alone; everywhere when null. */
  readonly within: ts.SourceFile | null;
}

const firstTold: readonly Told[] = [
  { name: 'Refusal', argument: 1, within: null },
  { name: 'Rejection', argument: 1, within: null },
  { name: 'textIn', argument: 1, within: null },
  { name: 'error', argument: 1, within: null },
  { name: 'progress', argument: 1, within: null },
  { name: 'warn', argument: 0, within: null },
  { name: 'refine', argument: 1, within: null },
  { name: 'identifier', argument: 0, within: null },
  { name: 'faulty', argument: 0, within: null },
  { name: 'NamedRows', argument: 0, property: 'unreachable', within: null },
  { name: 'NamedRows', argument: 0, property: 'what', within: null },
  ...['CronError', 'ExpressionError', 'UnusableQuery', 'UnusableDocument', 'UnsendableInput', 'UnusableAnswer'].map((name) => ({
    name,
    argument: 0,
    within: null,
  })),
];
/** Settings are told at the start, contracts of built-in tools when they are compiled, and models read English. */
const notTold =
  /^libs\/(?:platform|knowledge\/src\/read)\/|\/config\.ts$|\/(?:unrepresentable|domains)\.ts$|^apps\/agent-worker\/src\/(?:agent|code|model|turns)\/|\/metacognition\/|\/contracts\/src\/chinese|^libs\/skills\//;
/** Of these names there are others too, whose arguments are no texts. */
const textsAlone = new Set(['warn']);
/** Beside any of these a `message` is one for callers. */
const besides = new Set(['code', 'family', 'path', 'kind', 'error']);
/** Parameters within a longer text that are texts themselves. */
const inner = new Set(['message', 'rest', 'fault', 'reason', 'why', 'said', 'problem', 'what']);

export function collectMessages(): Collected {
  return new Collector(new Sources()).collected();
}

class Collector {
  readonly #sources: Sources;
  readonly #messages = new Map<string, string>();
  readonly #unread = new Set<string>();
  readonly #told: Told[] = [...firstTold];
  readonly #calls = new Map<string, (ts.CallExpression | ts.NewExpression)[]>();
  readonly #seen = new Set<ts.Node>();
  /** What is being read: a function may return what itself returns. */
  readonly #open = new Set<ts.Node>();

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  collected(): Collected {
    for (const file of this.#sources.files) this.#visit(file);
    // Grows while it is gone through: a parameter that is told makes its function one of these.
    for (const told of this.#told) this.#tellCalls(told);
    const messages = [...this.#messages].map(([text, at]) => ({ text, at }));
    return { messages, unread: [...this.#unread].toSorted() };
  }

  #visit(node: ts.Node): void {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const name = calledName(node);
      if (name !== null) push(this.#calls, name, node);
      if (isOfSchema(node.expression) && !notTold.test(node.getSourceFile().fileName)) this.#tellRule(node);
    }
    if (ts.isObjectLiteralExpression(node) && !notTold.test(node.getSourceFile().fileName)) this.#visitObject(node);
    ts.forEachChild(node, (child) => this.#visit(child));
  }

  /** A rule of a schema has what it says as its last argument. */
  #tellRule({ arguments: given }: ts.CallExpression | ts.NewExpression): void {
    const last = given?.at(-1);
    const text = last && ts.isIdentifier(last) ? this.#constant(last) : last;
    if (last && text && isText(text) && this.#texts(text, 0).every((one) => /^\S+ .* \S/.test(one))) this.#tell(last);
  }

  #visitObject(node: ts.ObjectLiteralExpression): void {
    const names = new Set(node.properties.flatMap(({ name }) => (name && ts.isIdentifier(name) ? [name.text] : [])));
    const isFault = [...besides].some((name) => names.has(name)) && !names.has('log') && !names.has('level');
    if (names.has('message') && isFault) this.#tell(propertyOf(node, 'message'));
    // The options of a schema.
    if (names.has('error') && ts.isCallExpression(node.parent) && node.parent.arguments.includes(node)) this.#tellSchema(node);
    if (names.has('what') && names.has('field')) this.#tell(propertyOf(node, 'what'));
    const warnings = propertyOf(node, 'warnings');
    if (warnings && !ts.isIdentifier(warnings)) this.#tell(warnings);
    const warning = propertyOf(node, 'warning');
    if (warning && isText(warning)) this.#tell(warning);
  }

  #tellSchema(node: ts.ObjectLiteralExpression): void {
    const error = propertyOf(node, 'error');
    if (error && isText(error)) this.#tell(error);
  }

  #tellCalls({ name, argument, property, within }: Told): void {
    for (const call of this.#calls.get(name) ?? []) {
      const file = call.getSourceFile();
      if ((within && file !== within) || notTold.test(file.fileName)) continue;
      const given = call.arguments?.[argument];
      if (given === undefined || ts.isSpreadElement(given)) continue;
      if (name === 'error' && !isLiteralName(call.arguments?.[0])) continue;
      if (textsAlone.has(name) && !isText(given)) continue;
      if (property === undefined) this.#tell(given);
      else if (ts.isObjectLiteralExpression(given)) this.#tell(propertyOf(given, property));
    }
  }

  #tell(given: ts.Expression | undefined): void {
    if (!given || this.#seen.has(given)) return;
    this.#seen.add(given);
    if (ts.isObjectLiteralExpression(given)) return this.#tell(propertyOf(given, 'error') ?? propertyOf(given, 'message'));
    for (const text of this.#texts(given, 0)) this.#messages.set(text, this.#messages.get(text) ?? placeOf(given));
  }

  /** The texts that an expression can be. */
  #texts(node: ts.Expression, depth: number): readonly string[] {
    if (depth > 12) return this.#cannotRead(node);
    const deeper = (one: ts.Expression): readonly string[] => this.#texts(one, depth + 1);
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text === '' ? [] : [node.text];
    if (ts.isTemplateExpression(node)) return this.#templates(node, depth);
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isAwaitExpression(node)) return deeper(node.expression);
    if (ts.isConditionalExpression(node)) return [...deeper(node.whenTrue), ...deeper(node.whenFalse)];
    if (ts.isBinaryExpression(node)) {
      if (either.has(node.operatorToken.kind)) return [...deeper(node.left), ...deeper(node.right)];
      if (node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken) return deeper(node.right);
      if (node.operatorToken.kind === ts.SyntaxKind.PlusToken) return joined([deeper(node.left), deeper(node.right)]);
    }
    if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(deeper);
    if (ts.isSpreadElement(node)) return deeper(node.expression);
    if (node.kind === ts.SyntaxKind.NullKeyword || node.kind === ts.SyntaxKind.FalseKeyword || node.getText() === 'undefined') return [];
    if (ts.isArrowFunction(node)) return returnsIn(node).flatMap(deeper);
    if (ts.isIdentifier(node)) return this.#named(node, depth);
    if (ts.isCallExpression(node)) return this.#returned(node, depth);
    if (ts.isElementAccessExpression(node) || ts.isPropertyAccessExpression(node)) return this.#within(node, depth);
    return this.#cannotRead(node);
  }

  #templates(node: ts.TemplateExpression, depth: number): readonly string[] {
    const parts = node.templateSpans.flatMap(({ expression, literal }) => [this.#span(expression, depth), [literal.text]]);
    return joined([[node.head.text], ...parts]);
  }

  /** A part of a text: its own texts where they are written there or are those of a constant, and else `{}`. */
  #span(node: ts.Expression, depth: number): readonly string[] {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
    if (ts.isTemplateExpression(node)) return this.#templates(node, depth + 1);
    if (ts.isParenthesizedExpression(node)) return this.#span(node.expression, depth);
    if (ts.isConditionalExpression(node)) {
      const both = [...this.#span(node.whenTrue, depth), ...this.#span(node.whenFalse, depth)];
      return both.includes('') || both.includes('{}') ? [...new Set(both)] : both;
    }
    if (ts.isIdentifier(node)) {
      const parameter = parameterOf(node);
      if (parameter && inner.has(node.text)) for (const text of this.#texts(node, depth + 1)) this.#messages.set(text, placeOf(node));
      const local = parameter ? undefined : localOf(node);
      const constant = local ?? this.#constant(node);
      if (constant && isText(constant) && depth < 8) return this.#span(constant, depth + 1);
    }
    return ['{}'];
  }

  #constant(node: ts.Identifier): ts.Expression | undefined {
    const [declared] = this.#sources.of(node.text, node.getSourceFile());
    return declared && ts.isVariableDeclaration(declared) ? declared.initializer : undefined;
  }

  #named(node: ts.Identifier, depth: number): readonly string[] {
    const parameter = parameterOf(node);
    if (parameter) return this.#follow(parameter, node);
    const constant = localOf(node) ?? this.#constant(node);
    if (!constant) return this.#cannotRead(node);
    return ts.isObjectLiteralExpression(constant)
      ? this.#texts(propertyOf(constant, 'error') ?? propertyOf(constant, 'message') ?? constant, depth + 1)
      : this.#texts(constant, depth + 1);
  }

  /** Those who call the function say it. */
  #follow({ of, argument, property }: ParameterPlace, node: ts.Identifier): readonly string[] {
    const name = nameOf(of);
    // A message, a warning or a reason that was made elsewhere.
    if (property !== undefined && passedOn.has(property)) return [];
    if (name === null) return this.#cannotRead(node);
    const isLocal = !ts.isMethodDeclaration(of) && !ts.isConstructorDeclaration(of) && !isExportedFunction(of);
    const within = isLocal || name.startsWith('#') ? of.getSourceFile() : null;
    const known = this.#told.some(
      (one) => one.name === name && one.argument === argument && one.property === property && one.within === within,
    );
    if (!known) this.#told.push({ name, argument, property, within });
    return [];
  }

  #returned(node: ts.CallExpression, depth: number): readonly string[] {
    const { expression } = node;
    if (ts.isPropertyAccessExpression(expression) && ofLists.has(expression.name.text)) {
      const [made] = node.arguments;
      const isMade = made !== undefined && ts.isArrowFunction(made) && /[mM]ap$/.test(expression.name.text);
      if (!isMade) return this.#texts(expression.expression, depth + 1);
      return returnsIn(made).flatMap((one) => this.#texts(one, depth + 1));
    }
    if (ts.isElementAccessExpression(expression)) return this.#within(expression, depth);
    const name = calledName(node);
    if (name === null) return this.#cannotRead(node);
    const file = node.getSourceFile();
    const found = ts.isIdentifier(node.expression) || name.startsWith('#') ? this.#sources.of(name, file) : [];
    const bodies = found.flatMap((one) => returnsOf(one)).filter((body) => !this.#open.has(body));
    if (name === 'inChinese') return [];
    if (bodies.length === 0) return found.length === 0 ? this.#cannotRead(node) : [];
    for (const body of bodies) this.#open.add(body);
    const texts = new Set(bodies.flatMap((body) => this.#texts(body, depth + 1)));
    for (const body of bodies) this.#open.delete(body);
    return [...texts];
  }

  /** A text of a table. */
  #within(node: ts.ElementAccessExpression | ts.PropertyAccessExpression, depth: number): readonly string[] {
    const { expression } = node;
    const table = ts.isIdentifier(expression) && !parameterOf(expression) ? (localOf(expression) ?? this.#constant(expression)) : undefined;
    const inside = table && ts.isAsExpression(table) ? table.expression : table;
    const object = inside && ts.isSatisfiesExpression(inside) ? inside.expression : inside;
    // Made elsewhere, where it is read.
    if (!object || !ts.isObjectLiteralExpression(object)) return [];
    const values = object.properties.flatMap((one) => (ts.isPropertyAssignment(one) ? [one] : []));
    const wanted = ts.isPropertyAccessExpression(node) ? values.filter((one) => one.name.getText() === node.name.text) : values;
    return wanted.flatMap(({ initializer: one }) => {
      const returned = ts.isArrowFunction(one) && !ts.isBlock(one.body) ? one.body : one;
      return isText(returned) ? this.#texts(returned, depth + 1) : this.#cannotRead(node);
    });
  }

  #cannotRead(node: ts.Expression): readonly string[] {
    // Made elsewhere, where it is read; the schema of one; or no text at all.
    if (ts.isNewExpression(node) || /\bmessage$|^z\.|^\{|^Promise/.test(node.getText())) return [];
    this.#unread.add(`${placeOf(node).replace(/:\d+$/, '')}: ${node.getText().replaceAll(/\s+/g, ' ').slice(0, 100)}`);
    return [];
  }
}

const passedOn = new Set(['message', 'reason', 'warning', 'fault']);
const either = new Set([ts.SyntaxKind.QuestionQuestionToken, ts.SyntaxKind.BarBarToken]);
const ofLists = new Set(['map', 'flatMap', 'filter', 'flat', 'join', 'find', 'slice', 'trim', 'toWellFormed']);
