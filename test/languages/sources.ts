// The sources whose messages a caller can get, and who declares what in them.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '#lib/command-line';

const folders = ['apps/gateway/src', 'apps/*-worker/src', 'libs/*/src'];
/** Not within a gateway or a worker of Invoq's own. */
const elsewhere = /^libs\/(?:testing|client|serve|command-line)\/|\/generated\/|\/test-|\.test\.ts$/;

export type Declared = ts.FunctionLikeDeclaration | ts.VariableDeclaration;

export class Sources {
  readonly files: readonly ts.SourceFile[];
  readonly #declared = new Map<ts.SourceFile, ReadonlyMap<string, readonly Declared[]>>();

  constructor() {
    this.files = folders
      .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
      .filter((file) => !elsewhere.test(file))
      .toSorted()
      .map((file) => ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true));
    for (const file of this.files) this.#declared.set(file, declaredIn(file));
  }

  /** What has this name: in the file itself, or else in those whose exports it imports under it. */
  of(name: string, file: ts.SourceFile): readonly Declared[] {
    const own = this.#declared.get(file)?.get(name);
    if (own) return own;
    if (!imports(file, name)) return [];
    return this.files.flatMap((other) => this.#declared.get(other)?.get(name)?.filter(isExported) ?? []);
  }
}

/** Functions and methods of any depth, and the constants of the file. */
function declaredIn(file: ts.SourceFile): ReadonlyMap<string, readonly Declared[]> {
  const found = new Map<string, Declared[]>();
  const add = (name: string, node: Declared): void => void (found.get(name)?.push(node) ?? found.set(name, [node]));
  const visit = (node: ts.Node): void => {
    if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isGetAccessor(node)) && node.name && node.body)
      add(node.name.getText(), node);
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      const isTop = node.parent.parent.parent === file;
      if (isTop || ts.isArrowFunction(node.initializer)) add(node.name.text, node);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function imports(file: ts.SourceFile, name: string): boolean {
  return file.statements.some((statement) => {
    const named = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined;
    return named !== undefined && ts.isNamedImports(named) && named.elements.some((one) => one.name.text === name);
  });
}

function isExported(node: Declared): boolean {
  const statement = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  return ts.canHaveModifiers(statement) && (ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false);
}
