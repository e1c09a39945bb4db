import { Badge } from '../../components/badge.js';
import { TextDiff } from '../../components/text-diff.js';
import { useText } from '../../language/use-text.js';
import { serversText } from './text.js';

export interface DefinitionChange {
  readonly name: string;
  /** Absent for a tool that is new. */
  readonly before: object | undefined;
  /** Absent for a tool that is gone. */
  readonly after: object | undefined;
}

/** Definitions of tools, what they were against what they are. */
export function DefinitionDiffs({ title, changes }: { readonly title: string; readonly changes: readonly DefinitionChange[] }) {
  const words = useText(serversText);
  return (
    <section className="stack tight" aria-label={title}>
      <h3>{title}</h3>
      {changes.map(({ name, before, after }) => (
        <div key={name} className="stack tight">
          <span className="line">
            <code>{name}</code>
            {!before && <Badge tone="good">{words.added}</Badge>}
            {!after && <Badge tone="bad">{words.removed}</Badge>}
          </span>
          <TextDiff label={name} before={textOf(before)} after={textOf(after)} />
        </div>
      ))}
      {changes.length === 0 && <p className="faint">{words.nothingChanged}</p>}
    </section>
  );
}

/** Tools of two approvals that differ. */
export function changesBetween(
  before: readonly { readonly name: string; readonly definition?: object }[],
  after: readonly { readonly name: string; readonly definition?: object }[],
): readonly DefinitionChange[] {
  const [known, now] = [before, after].map((tools) => new Map(tools.map(({ name, definition }) => [name, definition])));
  return [...new Set([...before, ...after].map(({ name }) => name))]
    .map((name) => ({ name, before: known?.get(name), after: now?.get(name) }))
    .filter((change) => textOf(change.before) !== textOf(change.after));
}

function textOf(definition: object | undefined): string {
  return definition ? JSON.stringify(definition, null, 2) : '';
}
