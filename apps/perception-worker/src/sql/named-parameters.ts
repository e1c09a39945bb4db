import { UnusableQuery } from './unusable-query.js';

/** A statement with `$1` in the place of its first parameter. */
export interface PreparedText {
  readonly text: string;
  /** The name of `$1`, `$2`, … */
  readonly names: readonly string[];
}

/** What PostgreSQL reads as one piece, in which a colon is no parameter. Comments may hold comments, so their end is searched for below. */
const piece =
  /--[^\n]*|\/\*|[eE]'(?:[^'\\]|''|\\[\s\S])*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$(?:[a-zA-Z_]\w*)?\$)[\s\S]*?\1|::|:=|:([a-zA-Z_]\w*)|\$(\d+)|;|[a-zA-Z_][\w$]*/g;

/** Reads the parameters of a statement, which stand in it as `:name`. @throws UnusableQuery */
export function readNamed(sql: string): PreparedText {
  const names: string[] = [];
  const trimmed = sql.replace(/[;\s]+$/, '');
  let text = '';
  let at = 0;
  piece.lastIndex = 0;
  for (let found = piece.exec(trimmed); found; found = piece.exec(trimmed)) {
    const [whole, , name, number] = found;
    if (number !== undefined) throw new UnusableQuery(`its parameters stand as :name, not as ${whole}`);
    if (whole === ';') throw new UnusableQuery('it has more than one statement: a query is one');
    if (whole === '/*') piece.lastIndex = endOfComment(trimmed, found.index);
    if (name === undefined) continue;
    if (!names.includes(name)) names.push(name);
    text += `${trimmed.slice(at, found.index)}$${names.indexOf(name) + 1}`;
    at = found.index + whole.length;
  }
  return { text: text + trimmed.slice(at), names };
}

/** Behind the comment that begins here. */
function endOfComment(sql: string, start: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = start;
  let depth = 0;
  for (let found = mark.exec(sql); found; found = mark.exec(sql)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return sql.length;
}
