import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { EmptyState } from '../components/empty-state.js';
import { Loading } from '../components/loading.js';
import { ErrorNotice } from '../components/notice.js';
import { Screen } from '../components/screen.js';
import { whenSignedOut } from '../data/queries.js';
import { forgetSession, useSession } from '../data/session.js';
import { useText } from '../language/use-text.js';
import { Shell } from './shell.js';
import { SignIn } from './sign-in.js';
import { shellText } from './text.js';
import { faultOfIssuer, ticketWasRefused } from './ticket.js';

/** A screen in its shell, or the sign-in in its place; the address stays, so the screen is there afterwards. */
export function Root() {
  const session = useSession();
  const [hasEnded, setHasEnded] = useState(false);
  useEffect(() => {
    whenSignedOut(() => {
      setHasEnded(true);
      forgetSession();
    });
  }, []);
  if (session.data) return <Shell session={session.data} />;
  if (session.data === null)
    return <SignIn reason={hasEnded ? 'ended' : ticketWasRefused() ? 'ticketFailed' : null} fault={hasEnded ? null : faultOfIssuer()} />;
  return (
    <main className="sign-in">
      <div className="box">
        {session.error ? <ErrorNotice error={session.error} onRetry={() => void session.refetch()} /> : <Loading />}
      </div>
    </main>
  );
}

export function NotFound() {
  const words = useText(shellText);
  return (
    <Screen title={words.notFound}>
      <EmptyState icon="search" title={words.notFound}>
        <p>{words.notFoundHelp}</p>
        <Link className="button" to="/">
          {words.toHome}
        </Link>
      </EmptyState>
    </Screen>
  );
}

export function Crashed({ error, reset }: ErrorComponentProps) {
  const words = useText(shellText);
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Screen title={words.crashed}>
      <ErrorNotice error={error} onRetry={again} />
    </Screen>
  );
}
