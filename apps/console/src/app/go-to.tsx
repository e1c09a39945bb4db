import { useNavigate } from '@tanstack/react-router';
import { useId, useState, type FormEvent, type KeyboardEvent } from 'react';
import { Dialog } from '../components/dialog.js';
import { SearchInput } from '../components/field.js';
import { Icon, type IconName } from '../components/icon.js';
import { useTools } from '../data/tools.js';
import { useText } from '../language/use-text.js';
import { shellText } from './text.js';
import { useLinks } from './use-links.js';

interface Place {
  readonly name: string;
  readonly icon: IconName;
  readonly go: () => void;
}

const maxPlaces = 12;

/** Where a key moves the mark to. */
const moves: Readonly<Record<string, (chosen: number, count: number) => number>> = {
  ArrowDown: (chosen, count) => (chosen + 1) % count,
  ArrowUp: (chosen, count) => (chosen - 1 + count) % count,
};

/** Finds a screen, a tool or a call by what is typed; arrow keys mark one, and Enter opens it. */
export function GoTo({ onClose }: { readonly onClose: () => void }) {
  const words = useText(shellText);
  const [text, setText] = useState('');
  const [marked, setMarked] = useState(0);
  const list = useId();
  const places = usePlaces(text.trim());
  const chosen = Math.min(marked, places.length - 1);
  const open = (place: Place | undefined) => {
    if (!place) return;
    onClose();
    place.go();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    open(places[chosen]);
  };
  const onKey = (event: KeyboardEvent) => {
    const next = moves[event.key]?.(chosen, places.length);
    if (next === undefined || places.length === 0) return;
    event.preventDefault();
    setMarked(next);
    document.getElementById(`${list}-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <Dialog title={words.goTo} onClose={onClose}>
      <form onSubmit={submit}>
        <SearchInput
          label={words.goToHelp}
          role="combobox"
          aria-expanded={places.length > 0}
          aria-controls={list}
          aria-activedescendant={chosen < 0 ? undefined : `${list}-${chosen}`}
          value={text}
          onKeyDown={onKey}
          onChange={(event) => {
            setText(event.target.value);
            setMarked(0);
          }}
        />
      </form>
      {/* The focus stays in the field, whose arrow keys move the mark. */}
      <div id={list} role="listbox" aria-label={words.goTo} className="go-to-places">
        {places.map((place, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={place.name}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className="button quiet"
            onClick={() => open(place)}
          >
            <Icon name={place.icon} /> {place.name}
          </div>
        ))}
      </div>
      {places.length === 0 && <p className="faint">{words.nothingFound}</p>}
      {text === '' && <p className="faint">{words.keysHelp}</p>}
    </Dialog>
  );
}

function usePlaces(text: string): readonly Place[] {
  const words = useText(shellText);
  const navigate = useNavigate();
  const groups = useLinks();
  const { data: tools = [] } = useTools();
  if (/^inv_[\w~-]+$/.test(text)) {
    return [
      { name: `${words.openCall} ${text}`, icon: 'calls', go: () => void navigate({ to: '/calls/$jobId', params: { jobId: text } }) },
    ];
  }
  if (/^trace_\w+$/.test(text)) {
    return [
      {
        name: `${words.openTrace} ${text}`,
        icon: 'health',
        go: () => void navigate({ to: '/traces/$traceId', params: { traceId: text } }),
      },
    ];
  }
  const screens = groups.flatMap(({ links }) =>
    links.map(({ title, to, icon }): Place => ({ name: title, icon, go: () => void navigate({ to }) })),
  );
  const toolPlaces = tools.map(({ name, title }): Place => ({
    name: `${name} · ${title}`,
    icon: 'tools',
    go: () => void navigate({ to: '/tools/$name', params: { name } }),
  }));
  return [...screens, ...toolPlaces].filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())).slice(0, maxPlaces);
}
