import { lazy, Suspense, useState } from 'react';
import type { JsonSchema } from '#lib/contracts';
import { useText } from '../../language/use-text.js';
import { Segments } from '../field.js';
import { Loading } from '../loading.js';
import { Notice } from '../notice.js';
import type { Faults } from './field-editor.js';
import { parseInput, type Input } from './input.js';
import { SchemaForm } from './schema-form.js';
import { formText } from './text.js';

const JsonEditor = lazy(() => import('../json-editor.js').then(({ JsonEditor: component }) => ({ default: component })));

interface ParametersEditorProps {
  readonly schema: JsonSchema;
  readonly input: Input;
  readonly faults: Faults;
  readonly onChange: (input: Input) => void;
}

/** The parameters of a call, as a form or as JSON; each shows what was typed in the other. */
export function ParametersEditor({ schema, input, faults, onChange }: ParametersEditorProps) {
  const words = useText(formText);
  const [view, setView] = useState<'form' | 'json'>('form');
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const choose = (chosen: 'form' | 'json') => {
    if (chosen === 'json') setText(JSON.stringify(input, null, 2));
    if (chosen === 'form' && fault !== null) return;
    setView(chosen);
  };
  const type = (typed: string) => {
    setText(typed);
    const parsed = parseInput(typed);
    setFault(parsed.fault);
    if (parsed.input) onChange(parsed.input);
  };
  const elsewhere = view === 'json' ? [...faults] : [...faults].filter(([path]) => path === '');
  return (
    <div className="stack">
      <div>
        <Segments
          label={words.view}
          value={view}
          choices={[
            ['form', words.form],
            ['json', words.json],
          ]}
          onChoose={choose}
        />
      </div>
      {view === 'form' ? (
        <SchemaForm schema={schema} input={input} faults={faults} onChange={onChange} />
      ) : (
        <Suspense fallback={<Loading />}>
          <JsonEditor label={words.parameters} text={text} onChange={type} />
        </Suspense>
      )}
      {view === 'json' && fault !== null && (
        <p className="fault" role="alert">
          {fault} {words.notJson}
        </p>
      )}
      {elsewhere.length > 0 && (
        <Notice tone="warn">
          {elsewhere.map(([path, message]) => (
            <p key={path}>
              <code>{path}</code> {message}
            </p>
          ))}
        </Notice>
      )}
    </div>
  );
}
