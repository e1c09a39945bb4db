import type { ReactNode } from 'react';
import { EmptyState } from '../components/empty-state.js';
import { Screen } from '../components/screen.js';
import { useScope, useSession } from '../data/session.js';
import { useText } from '../language/use-text.js';
import { shellText } from './text.js';

/** A screen for administrators, of one tenant or of all; others are told what they would need. */
export function AdminsOnly({ scope = 'admin', children }: { readonly scope?: 'admin' | 'tenant:admin'; readonly children: ReactNode }) {
  const words = useText(shellText);
  const isAdmin = useScope(scope);
  const { data } = useSession();
  if (isAdmin) return children;
  return (
    <Screen title={words.adminOnly}>
      <EmptyState icon="keys" title={words.adminOnly}>
        <p>
          {words.adminOnlyHelp} <code>{data?.scopes.join(', ')}</code>
        </p>
      </EmptyState>
    </Screen>
  );
}
