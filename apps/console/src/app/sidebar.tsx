import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ConsoleSession } from '#lib/contracts';
import { Button, IconButton } from '../components/button.js';
import { Icon } from '../components/icon.js';
import { useOpenRequests } from '../data/input-requests.js';
import { useSignOut } from '../data/session.js';
import { useText } from '../language/use-text.js';
import { Preferences } from './preferences.js';
import { shellText } from './text.js';
import { useLinks } from './use-links.js';
import icon from '../icon.svg';

export function Sidebar({ session, onGoTo }: { readonly session: ConsoleSession; readonly onGoTo: () => void }) {
  const words = useText(shellText);
  const groups = useLinks();
  const signOut = useSignOut();
  // On a phone the screens stand behind a button.
  const [isOpen, setIsOpen] = useState(false);
  return (
    <aside className={`sidebar ${isOpen ? 'open' : ''}`} aria-label="Invoq">
      <div className="line spread">
        <Link to="/" className="brand">
          <img className="icon" src={icon} alt="" />
          Invoq
        </Link>
        <span className="menu-button">
          <IconButton
            icon={isOpen ? 'close' : 'menu'}
            label={words.menu}
            look="quiet"
            aria-expanded={isOpen}
            aria-controls="screens"
            onClick={() => setIsOpen(!isOpen)}
          />
        </span>
      </div>
      <button type="button" className="button go-to" onClick={onGoTo}>
        <Icon name="search" />
        <span className="grow" style={{ textAlign: 'left' }}>
          {words.goTo}
        </span>
        <kbd>Ctrl K</kbd>
      </button>
      <nav id="screens" aria-label={words.navigation}>
        {groups.map(({ group, links }) => (
          <div className="nav-group" key={group}>
            <h2>{words.groups[group]}</h2>
            {links.map(({ name, to, icon: drawing, title }) => (
              <Link
                key={name}
                to={to}
                className="nav-link"
                activeOptions={{ exact: to === '/', includeSearch: false }}
                onClick={() => setIsOpen(false)}
              >
                <Icon name={drawing} />
                {title}
                {name === 'requests' && <OpenRequests />}
              </Link>
            ))}
          </div>
        ))}
      </nav>
      <div className="sidebar-foot">
        <p className="identity">
          <strong className="truncate">{session.user_id ?? words.wholeTenant}</strong>
          <span className="faint truncate">
            {words.tenant} {session.tenant_id} · {session.tier}
          </span>
        </p>
        <Preferences />
        <Button look="quiet" icon="out" onClick={() => signOut.mutate()}>
          {words.signOut}
        </Button>
      </div>
    </aside>
  );
}

/** How many input requests wait for whoever is signed in. */
function OpenRequests() {
  const words = useText(shellText);
  const { count } = useOpenRequests();
  if (count === '0') return null;
  return (
    <span className="nav-count" aria-label={words.waitForYou(count)} title={words.waitForYou(count)} role="img">
      {count}
    </span>
  );
}
