import { Link } from '@tanstack/react-router';
import type { WorkspaceList } from '#lib/contracts';
import { Notice } from '../../components/notice.js';
import { useMemory, workingSession } from '../../data/memory.js';
import { useText } from '../../language/use-text.js';
import { memoryText } from './text.js';

/** In addresses, which leave out what is empty: the session of calls that name none. */
const unnamed = '-';

/** A session as an address has it. */
export function sessionOf(inAddress: string): string {
  return inAddress === unnamed ? '' : inAddress;
}

/** That another session of the reader has staged changes here, which this one does not see; or that another one is open. */
export function StagedElsewhere({ list = [] }: { readonly list: WorkspaceList['workspaces'] | undefined }) {
  const words = useText(memoryText);
  const { workspace, sessionId } = useMemory();
  const here = list.find(({ name, is_own }) => (workspace === undefined ? is_own : name === workspace));
  const others = here?.staged.filter(({ session }) => session !== sessionId) ?? [];
  const isForeign = sessionId !== workingSession();
  if (others.length === 0 && !isForeign) return null;
  const place = workspace === undefined ? {} : { workspace };
  return (
    <Notice>
      {isForeign && (
        <p>
          {words.inSession(sessionId === '' ? words.unnamedSession : sessionId)}{' '}
          <Link to="/memory" search={place}>
            {words.ownSession}
          </Link>
        </p>
      )}
      {others.map(({ session, branch, changes }) => (
        <p key={`${session} ${branch}`}>
          {words.stagedElsewhere(changes, session === '' ? words.unnamedSession : session, branch)}{' '}
          <Link to="/memory" search={{ ...place, session: session === '' ? unnamed : session, tab: 'changes' }}>
            {words.openSession}
          </Link>
        </p>
      ))}
    </Notice>
  );
}
