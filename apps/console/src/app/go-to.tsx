import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
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

/** Finds a screen, a tool or a call by what is typed; Enter opens the first. */
export function GoTo({ onClose }: { readonly onClose: () => void }) {
  const words = useText(shellText);
  const [text, setText] = useState('');
  const places = usePlaces(text.trim());
  const open = (place: Place | undefined) => {
    if (!place) return;
    onClose();
    place.go();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    open(places[0]);
  };
  return (
    <Dialog title={words.goTo} onClose={onClose}>
      <form onSubmit={submit}>
        <SearchInput label={words.goToHelp} value={text} onChange={(event) => setText(event.target.value)} />
      </form>
      <ul>
        {places.map((place) => (
          <li key={place.name}>
            <button type="button" className="button quiet" onClick={() => open(place)}>
              <Icon name={place.icon} /> {place.name}
            </button>
          </li>
        ))}
      </ul>
      {places.length === 0 && <p className="faint">{words.nothingFound}</p>}
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
