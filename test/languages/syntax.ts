// What the syntax of a source says of names, functions and texts.
import ts from 'typescript';
import type { Declared } from './sources.js';

export interface ParameterPlace {
  readonly of: ts.FunctionLikeDeclaration;
  readonly argument: number;
  readonly property: string | undefined;
}

/** Where a name is that of a parameter. */
export function parameterOf(node: ts.Identifier): ParameterPlace | null {
  for (let at: ts.Node = node; at.parent; at = at.parent) {
    if (localIn(at, node)) return null;
    if (!ts.isFunctionLike(at) || !('body' in at)) continue;
    for (const [argument, { name }] of at.parameters.entries()) {
      const of = at as ts.FunctionLikeDeclaration;
      if (ts.isIdentifier(name) && name.text === node.text) return { of, argument, property: undefined };
      if (!ts.isObjectBindingPattern(name)) continue;
      const bound = name.elements.find((one) => ts.isIdentifier(one.name) && one.name.text === node.text);
      if (bound) return { of, argument, property: (bound.propertyName ?? bound.name).getText() };
    }
  }
  return null;
}

/** The value of a constant of a function that has this name. */
export function localOf(node: ts.Identifier): ts.Expression | undefined {
  for (let at: ts.Node = node; at.parent; at = at.parent) {
    const found = localIn(at, node);
    if (found) return ts.isIdentifier(found.name) ? found.initializer : undefined;
  }
  return undefined;
}

function localIn(at: ts.Node, { text }: ts.Identifier): ts.VariableDeclaration | undefined {
  if (!ts.isBlock(at) && !ts.isCaseOrDefaultClause(at)) return undefined;
  return at.statements
    .flatMap((statement) => (ts.isVariableStatement(statement) ? statement.declarationList.declarations : []))
    .find(({ name }) =>
      ts.isIdentifier(name) ? name.text === text : name.elements.some((one) => !ts.isOmittedExpression(one) && one.name.getText() === text),
    );
}

export function returnsOf(declared: Declared): readonly ts.Expression[] {
  const made = ts.isVariableDeclaration(declared) ? declared.initializer : declared;
  return made && ts.isFunctionLike(made) && 'body' in made ? returnsIn(made as ts.FunctionLikeDeclaration) : [];
}

export function returnsIn(made: ts.FunctionLikeDeclaration): readonly ts.Expression[] {
  if (!made.body) return [];
  if (!ts.isBlock(made.body)) return [made.body as ts.Expression];
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return;
    if (ts.isReturnStatement(node) && node.expression) found.push(node.expression);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(made.body, visit);
  return found;
}

export function nameOf(of: ts.FunctionLikeDeclaration): string | null {
  if (ts.isConstructorDeclaration(of)) return of.parent.name?.text ?? null;
  if (of.name) return of.name.getText();
  return ts.isVariableDeclaration(of.parent) && ts.isIdentifier(of.parent.name) ? of.parent.name.text : null;
}

export function isExportedFunction(of: ts.FunctionLikeDeclaration): boolean {
  const statement = ts.isVariableDeclaration(of.parent) ? of.parent.parent.parent : of;
  return ts.canHaveModifiers(statement) && (ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false);
}

/** Whether it is a rule of a schema: `z.string().max`. */
export function isOfSchema(node: ts.Expression): boolean {
  if (ts.isIdentifier(node)) return node.text === 'z';
  if (ts.isPropertyAccessExpression(node)) return isOfSchema(node.expression) && node.name.text !== 'describe';
  return ts.isCallExpression(node) && isOfSchema(node.expression);
}

export function calledName({ expression }: ts.CallExpression | ts.NewExpression): string | null {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : null;
}

export function propertyOf(node: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  for (const one of node.properties) {
    if (ts.isPropertyAssignment(one) && one.name.getText() === name) return one.initializer;
    if (ts.isShorthandPropertyAssignment(one) && one.name.text === name) return one.name;
  }
  return undefined;
}

export function isText(node: ts.Expression): boolean {
  return (
    ts.isStringLiteral(node) ||
    ts.isNoSubstitutionTemplateLiteral(node) ||
    ts.isTemplateExpression(node) ||
    (ts.isConditionalExpression(node) && isText(node.whenTrue))
  );
}

export function isLiteralName(node: ts.Expression | undefined): boolean {
  return node !== undefined && ts.isStringLiteral(node) && /^[A-Z][A-Z_]+$/.test(node.text);
}

export function placeOf(node: ts.Node): string {
  const file = node.getSourceFile();
  return `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}

export function push<Value>(lists: Map<string, Value[]>, name: string, value: Value): void {
  const list = lists.get(name);
  if (list) list.push(value);
  else lists.set(name, [value]);
}

/** Each of the first with each of the second, and so on. */
export function joined(parts: readonly (readonly string[])[]): readonly string[] {
  return parts.reduce<readonly string[]>((before, next) => before.flatMap((one) => next.map((other) => one + other)), ['']);
}
