import { useText } from '../language/use-text.js';
import { Segments } from './field.js';
import { shared } from './text.js';

interface ScopeChoiceProps<Scope extends string> {
  readonly value: Scope;
  /** Those that whoever is signed in may see. */
  readonly offered: readonly Scope[];
  readonly onChoose: (scope: Scope) => void;
}

/** Whose a list is: one's own, the tenant's, that of all. Nothing where there is no choice. */
export function ScopeChoice<Scope extends 'mine' | 'tenant' | 'all'>({ value, offered, onChoose }: ScopeChoiceProps<Scope>) {
  const words = useText(shared);
  if (offered.length < 2) return null;
  return (
    <Segments label={words.scope} value={value} choices={offered.map((one) => [one, words.scopes[one]] as const)} onChoose={onChoose} />
  );
}
