import { useState, type FormEvent } from 'react';
import { Badge } from '../../components/badge.js';
import { SearchInput } from '../../components/field.js';
import { Highlighted } from '../../components/highlighted.js';
import { Loaded } from '../../components/loading.js';
import { useMemoryQuery } from '../../data/memory.js';
import { useText } from '../../language/use-text.js';
import { memoryText } from './text.js';

const mostResults = 20;

/** Finds nodes by words in any of their levels. */
export function NodeSearch({ onChoose }: { readonly onChoose: (nodeId: string) => void }) {
  const words = useText(memoryText);
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(typed.trim());
  };
  return (
    <div className="stack tight" style={{ padding: 'var(--s3) var(--s3) 0' }}>
      <form role="search" className="line" onSubmit={submit}>
        <SearchInput
          label={words.searchNodes}
          value={typed}
          onChange={({ target: { value } }) => {
            setTyped(value);
            if (value === '') setAsked('');
          }}
        />
      </form>
      {asked !== '' && <Found query={asked} onChoose={onChoose} />}
    </div>
  );
}

function Found({ query, onChoose }: { readonly query: string; readonly onChoose: (nodeId: string) => void }) {
  const words = useText(memoryText);
  const answer = useMemoryQuery('search_nodes', { query, maxResults: mostResults });
  return (
    <Loaded query={answer} lines={3}>
      {({ results }) =>
        results.length === 0 ? (
          <p className="faint">{words.nothingFound}</p>
        ) : (
          <ul className="stack tight" aria-label={words.foundNodes}>
            {results.map(({ nodeId, title, path, preview = '', highlightedTerms, staged }) => (
              <li key={nodeId}>
                <button type="button" className="link" onClick={() => onChoose(nodeId)}>
                  {title}
                </button>{' '}
                {staged && <Badge tone="warn">{words.stagedHere}</Badge>}
                <div className="faint">{path.join(' › ')}</div>
                <p className="soft">
                  <Highlighted text={preview} words={highlightedTerms} />
                </p>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
