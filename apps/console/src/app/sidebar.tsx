import { Link } from '@tanstack/react-router';
import type { ConsoleSession } from '#lib/contracts';
import { Button } from '../components/button.js';
import { Icon } from '../components/icon.js';
import { useScope, useSignOut } from '../data/session.js';
import { useText } from '../language/use-text.js';
import { Preferences } from './preferences.js';
import { screenGroups, type ScreenLink } from './screens.js';
import { shellText } from './text.js';
import icon from '../icon.svg';

export function Sidebar({ session, onGoTo }: { readonly session: ConsoleSession; readonly onGoTo: () => void }) {
  const words = useText(shellText);
  const isAdmin = useScope('admin');
  const isTenantAdmin = useScope('tenant:admin');
  const signOut = useSignOut();
  const nameOf = ({ name }: ScreenLink) => {
    if (name === 'keys' && !isTenantAdmin) return words.screens.usage;
    return name === 'health' && !isAdmin ? words.screens.workers : words.screens[name];
  };
  return (
    <aside className="sidebar" aria-label="Invoq">
      <Link to="/" className="brand">
        <img className="icon" src={icon} alt="" />
        Invoq
      </Link>
      <button type="button" className="button" onClick={onGoTo}>
        <Icon name="search" />
        <span className="grow" style={{ textAlign: 'left' }}>
          {words.goTo}
        </span>
        <kbd>Ctrl K</kbd>
      </button>
      <nav aria-label={words.navigation}>
        {screenGroups.map(([group, links]: readonly [keyof typeof words.groups, readonly ScreenLink[]]) => {
          const shown = links.filter((link) => isAdmin || !link.isFor || (isTenantAdmin && link.isFor === 'tenant:admin'));
          return (
            shown.length > 0 && (
              <div className="nav-group" key={group}>
                <h2>{words.groups[group]}</h2>
                {shown.map((link) => (
                  <Link key={link.name} to={link.to} className="nav-link" activeOptions={{ exact: link.to === '/', includeSearch: false }}>
                    <Icon name={link.icon} />
                    {nameOf(link)}
                  </Link>
                ))}
              </div>
            )
          );
        })}
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
