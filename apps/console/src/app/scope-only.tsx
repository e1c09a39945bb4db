import type { ReactNode } from 'react';
import type { Scope } from '#lib/contracts';
import { EmptyState } from '../components/empty-state.js';
import { Screen } from '../components/screen.js';
import { useScope, useSession } from '../data/session.js';
import { useText } from '../language/use-text.js';
import { shellText } from './text.js';

/** A screen for who has a scope; others are told what they would need. */
export function ScopeOnly({ scope, children }: { readonly scope: Scope; readonly children: ReactNode }) {
  const words = useText(shellText);
  const may = useScope(scope);
  const { data } = useSession();
  if (may) return children;
  return (
    <Screen title={words.adminOnly}>
      <EmptyState icon="keys" title={words.adminOnly}>
        <p>
          {words.adminOnlyHelp(scope)} <code>{data?.scopes.join(', ')}</code>
        </p>
      </EmptyState>
    </Screen>
  );
}
