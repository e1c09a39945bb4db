// All types that a package shows, in one file: what TypeScript declares for its entry, and for what that needs of other files of ours.
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '#lib/command-line';

/** Where the declarations of single files stand while they are read. Nothing is written there. */
const folder = join(root, 'dist', 'declarations');

/**
 * The declaration file of an entry. Packages that it names are imported; nothing else is.
 * Throws for a type that cannot be declared, for two declarations of one name, and for a type of ours that has no name.
 * @param entry path of the source in the repository
 */
export function rollTypes(entry: string): string {
  declareAll(entry);
  const main = join(folder, entry.replace(/\.ts$/, '.d.ts'));
  const paths = { '#lib/*': [join(folder, 'libs/*/src/index.d.ts')] };
  const program = ts.createProgram([main], { ...options, noEmit: true, paths }, host);
  return new Roll(program, declarations).rolled(main);
}

const options: ts.CompilerOptions = {
  ...ts.convertCompilerOptionsFromJson(ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config.compilerOptions, root)
    .options,
  sourceMap: false,
  outDir: folder,
};

/** By their paths. Packages share most files, and to declare one takes longer than to read it. */
const declarations = new Map<string, string>();
const declared = new Set<string>();
const host = hostOf(declarations);

/** Declares what an entry needs of our files, unless an earlier entry needed it too. */
function declareAll(entry: string): void {
  // `npm run check` finds wrong types: to check them here, too, takes as long again, and emitting would not tell them.
  const program = ts.createProgram([join(root, entry)], { ...options, declaration: true, emitDeclarationOnly: true, noCheck: true }, host);
  for (const source of program.getSourceFiles()) {
    const { fileName } = source;
    if (source.isDeclarationFile || declared.has(fileName)) continue;
    const { diagnostics } = program.emit(source, (file, text) => declarations.set(file, text));
    if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, host));
    declared.add(fileName);
  }
}

/** Reads these texts like files, and each file once for all programs. */
function hostOf(texts: ReadonlyMap<string, string>): ts.CompilerHost {
  const made = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = made;
  const sources = new Map<string, ts.SourceFile>();
  // These folders are not there.
  delete made.directoryExists;
  made.fileExists = (file) => texts.has(file) || fileExists(file);
  made.readFile = (file) => texts.get(file) ?? readFile(file);
  made.getSourceFile = (file, ...how) => {
    const source = sources.get(file) ?? getSourceFile(file, ...how);
    if (source) sources.set(file, source);
    return source;
  };
  return made;
}

class Roll {
  readonly #checker: ts.TypeChecker;
  readonly #program: ts.Program;
  readonly #ours: ReadonlyMap<string, string>;
  /** Declarations by name, in the order in which they are met. */
  readonly #texts = new Map<string, string>();
  readonly #symbols = new Map<string, ts.Symbol>();
  /** Import statements of packages. */
  readonly #imports = new Set<string>();

  constructor(program: ts.Program, ours: ReadonlyMap<string, string>) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
    this.#ours = ours;
  }

  rolled(main: string): string {
    const source = this.#program.getSourceFile(main);
    const entry = source && this.#checker.getSymbolAtLocation(source);
    if (!entry) throw new Error(`${main} exports nothing`);
    const exported = this.#checker.getExportsOfModule(entry).map((symbol) => {
      const { name } = this.#add(this.#original(symbol));
      return name === symbol.name ? name : `${name} as ${symbol.name}`;
    });
    const parts = [[...this.#imports].sort().join('\n'), ...this.#texts.values(), `export { ${exported.sort().join(', ')} };`];
    return `${parts.filter(Boolean).join('\n\n')}\n`;
  }

  #original(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #add(symbol: ts.Symbol): ts.Symbol {
    if (!symbol.declarations?.length) throw new Error(`${symbol.name} is declared nowhere`);
    const known = this.#symbols.get(symbol.name);
    if (known === symbol) return symbol;
    if (known) throw new Error(`two declarations are named ${symbol.name}: give one another name`);
    this.#symbols.set(symbol.name, symbol);
    const statements = new Set(symbol.declarations.map(statementOf));
    // Takes its place before what it needs.
    this.#texts.set(symbol.name, [...statements].map(textOf).join('\n'));
    for (const statement of statements) this.#follow(statement);
    return symbol;
  }

  #follow(node: ts.Node): void {
    if (ts.isImportTypeNode(node)) throw new Error(`${node.getSourceFile().fileName}: give a name to the type ${node.getText()}`);
    if (ts.isIdentifier(node)) this.#need(node);
    node.forEachChild((child) => this.#follow(child));
  }

  #need(identifier: ts.Identifier): void {
    const symbol = this.#checker.getSymbolAtLocation(identifier);
    if (!symbol) return;
    const original = this.#original(symbol);
    const [declaration] = original.declarations ?? [];
    if (declaration && this.#ours.has(declaration.getSourceFile().fileName)) {
      if (isOfModule(declaration)) this.#add(original);
      return;
    }
    const imported = symbol.declarations?.find(ts.isImportSpecifier);
    if (imported)
      this.#imports.add(`import type { ${imported.getText()} } from ${imported.parent.parent.parent.moduleSpecifier.getText()};`);
  }
}

/** Declared by a module itself: no parameter, property or type parameter. */
function isOfModule(declaration: ts.Declaration): boolean {
  return ts.isSourceFile(ts.isVariableDeclaration(declaration) ? declaration.parent.parent.parent : declaration.parent);
}

function statementOf(declaration: ts.Declaration): ts.Node {
  return ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
}

/** With its comment, and without the `export` of its own file. */
function textOf(statement: ts.Node): string {
  const comment = statement.getFullText().slice(0, statement.getStart() - statement.getFullStart());
  const [documentation = ''] = /\/\*\*(?:[^*]|\*(?!\/))*\*\/\s*$/.exec(comment) ?? [];
  const text = statement.getText().replace(/^export (default )?/, '');
  return `${documentation}${/^(interface|type|declare)\b/.test(text) ? '' : 'declare '}${text}`;
}
