import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { SearchInput, Segments, Select } from '../../components/field.js';
import { Screen } from '../../components/screen.js';
import { api } from '../../data/api.js';
import { useText } from '../../language/use-text.js';
import { Citations } from './citations.js';
import { Collections } from './collections.js';
import { DocumentDialog } from './document-dialog.js';
import { Findings } from './findings.js';
import { knowledgeText } from './text.js';

const route = getRouteApi('/knowledge');
/** What is searched where nothing is said. */
const usual = 'health';
/** No collection is named so. */
const everyCollection = '*';
/** That are searched together: each is a call. */
const mostCollections = 20;

/** Searches the knowledge, and shows why each answer is where it is. */
export function Knowledge() {
  const words = useText(knowledgeText);
  const search = route.useSearch();
  const { q, collection, kind, document } = search;
  const navigate = route.useNavigate();
  const collections = useQuery({ queryKey: ['collections'], queryFn: api.collections });
  const [typed, setTyped] = useState(q ?? '');
  const isClaim = kind === 'cite';
  const names = [...new Set(collections.data?.collections.map(({ name }) => name) ?? [usual])];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ to: '.', search: { ...search, q: typed.trim() } });
  };
  return (
    <Screen title={words.title}>
      <form className="line wrap" onSubmit={submit} role="search">
        <Segments
          label={words.kind}
          value={isClaim ? 'cite' : 'search'}
          choices={[
            ['search', words.kinds.search],
            ['cite', words.kinds.cite],
          ]}
          onChoose={(chosen) => void navigate({ to: '.', search: { ...search, kind: chosen }, replace: true })}
        />
        <SearchInput label={words.question} value={typed} onChange={(event) => setTyped(event.target.value)} />
        {!isClaim && (
          <div className="inline">
            <Select
              aria-label={words.collection}
              value={collection ?? usual}
              onChange={(event) => void navigate({ to: '.', search: { ...search, collection: event.target.value }, replace: true })}
            >
              <option value={everyCollection}>{words.everyCollection}</option>
              {names.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </Select>
          </div>
        )}
        <Button type="submit" look="primary" icon="search" disabled={typed.trim() === ''}>
          {words.search}
        </Button>
      </form>
      <div className="columns side">
        <div className="stack">
          {q === undefined && (
            <EmptyState icon="knowledge" title={words.start}>
              <p>{words.startHelp}</p>
            </EmptyState>
          )}
          {q !== undefined && !isClaim && collection === everyCollection && names.length > mostCollections && (
            <p className="faint">{words.cutCollections(mostCollections)}</p>
          )}
          {q !== undefined && !isClaim && (
            <Findings
              query={q}
              collections={collection === everyCollection ? names.slice(0, mostCollections) : [collection ?? usual]}
              onRead={(id) => void navigate({ to: '.', search: { ...search, document: id } })}
            />
          )}
          {q !== undefined && isClaim && <Citations claim={q} />}
        </div>
        <Collections query={collections} />
      </div>
      {document !== undefined && (
        <DocumentDialog id={document} onClose={() => void navigate({ to: '.', search: { ...search, document: '' } })} />
      )}
    </Screen>
  );
}
