// The parameters of an operation, of all places and styles.
import { isJsonObject, type OperationParameter } from '#lib/contracts';
import { listOf, textOf, UnusableDocument, wordOf, type OpenApiDocument, type Part } from './document.js';

export interface ReadParameter {
  readonly placed: OperationParameter;
  readonly required: boolean;
  readonly schema: unknown;
  readonly description: string | undefined;
}

type Place = OperationParameter['in'];
const styles: Readonly<Record<Place, readonly OperationParameter['style'][]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};
/** The standard ignores the first three as parameters; the others are the connection's, and would let a document speak for it. */
const notGiven: ReadonlySet<string> = new Set(
  'accept content-type authorization cookie host connection content-length transfer-encoding te trailer upgrade expect keep-alive'.split(
    ' ',
  ),
);
const longestField = 64;

/**
 * The parameters of an operation, those of its path included, each with a name of its own for the input.
 * @throws UnusableDocument for one that cannot be given
 */
export function readParameters(
  document: OpenApiDocument,
  path: string,
  levels: readonly [item: Part, operation: Part],
): readonly ReadParameter[] {
  const given = new Map<string, Part>();
  for (const one of levels.flatMap(({ parameters }) => listOf(parameters)).map((part) => document.resolved(part)))
    given.set(`${wordOf(one['in'])} ${wordOf(one['name'])}`, one);
  const taken = new Set<string>(['body']);
  const read = [...given.values()].flatMap((one) => readParameter(one, taken) ?? []);
  const inPath = new Set(read.filter(({ placed }) => placed.in === 'path').map(({ placed }) => placed.name));
  const unnamed = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name).filter((name) => !inPath.has(name));
  // Careless documents name a parameter in the path and nowhere else.
  const added = [...new Set(unnamed)].flatMap(
    (name) => readParameter({ in: 'path', name, required: true, schema: { type: 'string' } }, taken) ?? [],
  );
  return [...read.filter(({ placed: { in: place, name } }) => place !== 'path' || path.includes(`{${name}}`)), ...added];
}

function readParameter(given: Part, taken: Set<string>): ReadParameter | null {
  const { name, in: place } = given;
  if (name === '') return null;
  if (typeof name !== 'string' || !isPlace(place))
    throw new UnusableDocument(
      `its parameter '${wordOf(name).slice(0, 60)}' is in '${wordOf(place).slice(0, 20)}', which is no place of a request`,
    );
  if (place === 'header' && notGiven.has(name.toLowerCase())) return null;
  if ((place === 'header' || place === 'cookie') && !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    throw new UnusableDocument(`its ${place} parameter '${name.slice(0, 60)}' has a name that HTTP cannot send`);
  const content = isJsonObject(given['content']) ? Object.entries(given['content'])[0] : undefined;
  const said = textOf(given['style']) ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple');
  const style = content ? 'json' : styles[place].find((one) => one === said);
  if (!style)
    throw new UnusableDocument(
      `its ${place} parameter '${name.slice(0, 60)}' has the style '${said.slice(0, 30)}', which there is none of there`,
    );
  const field = fieldFor(name, place, taken);
  const explode = typeof given['explode'] === 'boolean' ? given['explode'] : style === 'form' || style === 'deepObject';
  return {
    placed: { field, name, in: place, style, explode, ...(given['allowReserved'] === true && { allowReserved: true }) },
    required: place === 'path' || given['required'] === true,
    schema: content ? (isJsonObject(content[1]) ? content[1]['schema'] : {}) : given['schema'],
    description: textOf(given['description']),
  };
}

function isPlace(place: unknown): place is Place {
  return typeof place === 'string' && Object.hasOwn(styles, place);
}

/** A name that providers of models take, and that no other field has. */
function fieldFor(name: string, place: Place, taken: Set<string>): string {
  const plain =
    name
      .replaceAll(/[^a-zA-Z0-9_.-]+/g, '_')
      .replace(/^_+(?=[a-zA-Z0-9])|(?<=[a-zA-Z0-9])_+$/g, '')
      .slice(0, longestField - 10) || 'parameter';
  let field = taken.has(plain) ? `${place}_${plain}` : plain;
  for (let number = 2; taken.has(field); number++) field = `${place}_${plain}_${number}`;
  taken.add(field);
  return field;
}
