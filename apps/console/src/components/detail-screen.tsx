import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from './icon.js';
import { Loaded } from './loading.js';
import { Screen } from './screen.js';

/** The way back from one thing to the list of all. */
export function BackLink({ to, label }: { readonly to: '/schedules' | '/batches' | '/webhooks'; readonly label: string }) {
  return (
    <Link to={to} className="button quiet icon-only" aria-label={label} title={label}>
      <Icon name="left" />
    </Link>
  );
}

interface DetailScreenProps<One> {
  /** While it is not known what it is, or why it cannot be shown. */
  readonly title: string;
  readonly back: ReactNode;
  readonly query: UseQueryResult<One>;
  /** The whole screen of what was read. */
  readonly children: (one: One) => ReactNode;
}

/** A screen of one thing: itself, or that it is on its way. */
export function DetailScreen<One>({ title, back, query, children }: DetailScreenProps<One>) {
  if (query.data !== undefined) return children(query.data);
  return (
    <Screen title={title} lead={back}>
      <Loaded query={query}>{() => null}</Loaded>
    </Screen>
  );
}
