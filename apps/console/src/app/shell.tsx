import { Outlet } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { ConsoleSession } from '#lib/contracts';
import { useText } from '../language/use-text.js';
import { Toasts } from '../components/toasts.js';
import { GoTo } from './go-to.js';
import { LostContact, useContact } from './lost-contact.js';
import { Sidebar } from './sidebar.js';
import { shellText } from './text.js';
import { usePreloadedScreens } from './use-preloaded-screens.js';

/** The frame around every screen of somebody who is signed in. */
export function Shell({ session }: { readonly session: ConsoleSession }) {
  const words = useText(shellText);
  const lostSince = useContact();
  usePreloadedScreens();
  const [isGoingTo, setIsGoingTo] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setIsGoingTo(true);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        {words.skip}
      </a>
      {lostSince !== null && <LostContact since={lostSince} />}
      <Sidebar session={session} onGoTo={() => setIsGoingTo(true)} />
      <main className={`main ${lostSince === null ? '' : 'stale'}`} id="main" tabIndex={-1}>
        <Outlet />
      </main>
      <Toasts />
      {isGoingTo && <GoTo onClose={() => setIsGoingTo(false)} />}
    </div>
  );
}
