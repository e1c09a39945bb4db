import { useState } from 'react';
import { CodeBlock } from '../../components/code-block.js';
import { Segments } from '../../components/field.js';
import type { Input } from '../../components/schema-form/input.js';
import { useText } from '../../language/use-text.js';
import type { ChosenOptions } from './call-options.js';
import { playgroundText } from './playground-text.js';
import { snippet, snippetKinds, type SnippetKind } from './snippets.js';

interface SnippetViewProps {
  readonly tool: string;
  readonly input: Input;
  readonly options: ChosenOptions;
}

/** The call of the playground for other clients, to copy. */
export function SnippetView(call: SnippetViewProps) {
  const words = useText(playgroundText);
  const [kind, setKind] = useState<SnippetKind>('curl');
  return (
    <div className="stack tight">
      <div className="line wrap spread">
        <h2>{words.asCode}</h2>
        <Segments label={words.asCode} value={kind} choices={snippetKinds.map((one) => [one, one] as const)} onChoose={setKind} />
      </div>
      <CodeBlock label={kind} text={snippet(kind, { origin: location.origin, ...call })} />
    </div>
  );
}
