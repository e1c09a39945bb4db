// What the sources say of a type's fields: names, types, and the comments above them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '#lib/command-line';

export interface InterfaceField {
  readonly name: string;
  /** As the source writes it, without `readonly`; names that stand for another type, or for some type of a kind, are replaced by that. */
  readonly type: string;
  readonly isOptional: boolean;
  /** Markdown; empty for a field without a comment. */
  readonly meaning: string;
}

/** The declarations of some source files. */
export class SourceTypes {
  readonly #interfaces = new Map<string, ts.InterfaceDeclaration>();
  readonly #aliases = new Map<string, string>();
  readonly #functions = new Map<string, ts.FunctionDeclaration>();

  /** @param files paths in the repository */
  constructor(files: readonly string[]) {
    for (const file of files) {
      const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
      for (const one of source.statements) {
        if (ts.isInterfaceDeclaration(one)) this.#interfaces.set(one.name.text, one);
        else if (ts.isFunctionDeclaration(one) && one.name) this.#functions.set(one.name.text, one);
        else if (ts.isTypeAliasDeclaration(one) && !one.typeParameters && !/\btypeof\b/.test(one.type.getText()))
          this.#aliases.set(one.name.text, one.type.getText().replace(/^\s*\|\s*/, ''));
      }
    }
  }

  /** The fields of an interface, and those of the interfaces that it extends, which come first. Throws for one that is not there. */
  fieldsOf(name: string): readonly InterfaceField[] {
    const declared = this.#interfaces.get(name);
    if (!declared) throw new Error(`no source of the reference declares the interface ${name}`);
    const above = (declared.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => this.#inherited(type)));
    const own = declared.members.filter(ts.isPropertySignature).map((member) => this.#field(member, declared));
    const fields = [...above.flat(), ...own].map((field) => [field.name, field] as const);
    // A field that is declared again keeps its place.
    return [...new Map(fields).values()];
  }

  /** What the comment above a function says, as Markdown. */
  meaningOf(name: string): string {
    const declared = this.#functions.get(name);
    if (!declared) throw new Error(`no source of the reference declares the function ${name}`);
    return commentOf(declared);
  }

  /** `X`, `Omit<X, 'a' | 'b'>`, and `Partial` of one of these. */
  #inherited(node: ts.Node): readonly InterfaceField[] {
    const [name, parts] = ts.isExpressionWithTypeArguments(node)
      ? [node.expression.getText(), node.typeArguments]
      : ts.isTypeReferenceNode(node)
        ? [node.typeName.getText(), node.typeArguments]
        : [node.getText(), undefined];
    const [from, without] = parts ?? [];
    if (from && name === 'Partial') return this.#inherited(from).map((field) => ({ ...field, isOptional: true }));
    if (from && name === 'Omit') return this.#inherited(from).filter((field) => !without?.getText().includes(`'${field.name}'`));
    return this.fieldsOf(name);
  }

  #field(member: ts.PropertySignature, { typeParameters = ts.factory.createNodeArray() }: ts.InterfaceDeclaration): InterfaceField {
    const kinds = new Map(typeParameters.map((parameter) => [parameter.name.text, parameter.constraint?.getText()]));
    const plain = (word: string): string => this.#aliases.get(word)?.replaceAll(/\breadonly |\s+(?=\s)/g, '') ?? word;
    const text = (member.type?.getText() ?? 'unknown').replaceAll(/\breadonly /g, '').replaceAll(/\s+/g, ' ');
    return {
      name: member.name.getText(),
      type: text.replaceAll(/(?<![.'])\b[A-Z]\w*\b/g, (word) => plain(kinds.get(word) ?? word)),
      isOptional: member.questionToken !== undefined,
      meaning: commentOf(member),
    };
  }
}

function commentOf(node: ts.Node): string {
  const [comment = ''] = /\/\*\*(?:[^*]|\*(?!\/))*\*\/\s*$/.exec(node.getFullText().slice(0, node.getStart() - node.getFullStart())) ?? [];
  const text = comment.replaceAll(/^\s*\/?\*+\/?|\*\/\s*$/gm, '').replaceAll(/\s+/g, ' ');
  return text.replaceAll(/@param (\w+)/g, '`$1`:').trim();
}
