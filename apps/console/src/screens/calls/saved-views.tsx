import { useState, type FormEvent } from 'react';
import { Button, IconButton } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Field, TextInput } from '../../components/field.js';
import type { CallFilterValues } from '../../data/calls.js';
import { useText } from '../../language/use-text.js';
import { callsText } from './text.js';

interface View {
  readonly name: string;
  readonly filters: CallFilterValues;
}

const storageKey = 'invoq-console-call-views';
/** Where views were kept before; they are read from there until one is saved or removed. */
const formerKey = 'invoq-console-run-views';

interface SavedViewsProps {
  readonly filters: CallFilterValues;
  readonly onOpen: (filters: CallFilterValues) => void;
}

/** Filters with a name, kept in this browser. */
export function SavedViews({ filters, onOpen }: SavedViewsProps) {
  const words = useText(callsText);
  const [views, setViews] = useState(read);
  const [isNaming, setIsNaming] = useState(false);
  const keep = (next: readonly View[]) => {
    localStorage.setItem(storageKey, JSON.stringify(next));
    setViews(next);
  };
  const add = (name: string) => {
    keep([...views.filter((view) => view.name !== name), { name, filters }]);
    setIsNaming(false);
  };
  if (views.length === 0 && Object.keys(filters).length === 0) return null;
  return (
    <section className="line wrap" aria-label={words.views}>
      {views.map(({ name, filters: kept }) => (
        <span key={name} className="line" style={{ gap: 0 }}>
          <Button small onClick={() => onOpen(kept)}>
            {name}
          </Button>
          <IconButton small icon="close" label={words.removeView(name)} onClick={() => keep(views.filter((view) => view.name !== name))} />
        </span>
      ))}
      {Object.keys(filters).length > 0 && (
        <Button small look="quiet" icon="plus" onClick={() => setIsNaming(true)}>
          {words.saveView}
        </Button>
      )}
      {isNaming && <NameDialog onName={add} onClose={() => setIsNaming(false)} />}
    </section>
  );
}

function NameDialog({ onName, onClose }: { readonly onName: (name: string) => void; readonly onClose: () => void }) {
  const words = useText(callsText);
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') onName(name.trim());
  };
  return (
    <Dialog title={words.saveView} isUnsaved={name !== ''} onClose={onClose}>
      <form onSubmit={submit} className="stack">
        <Field label={words.viewName}>
          {(control) => <TextInput {...control} maxLength={40} value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <Button type="submit" look="primary" disabled={name.trim() === ''}>
          {words.saveView}
        </Button>
      </form>
    </Dialog>
  );
}

function read(): readonly View[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey) ?? localStorage.getItem(formerKey) ?? '[]');
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}
