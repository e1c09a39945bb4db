import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useText } from '../language/use-text.js';
import { ErrorNotice } from './notice.js';
import { shared } from './text.js';

const widths = ['70%', '92%', '54%', '81%', '63%', '88%'];

/** Grey lines in the place of what is on its way. What stands below it is not seen before its place is known (style/base.css). */
export function Loading({ lines = 4 }: { readonly lines?: number }) {
  const words = useText(shared);
  return (
    <div className="loading stack tight" role="status" aria-label={words.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className="skeleton" style={{ width: widths[line % widths.length] }} />
      ))}
    </div>
  );
}

/** What a query gave, or that it is on its way, or why it failed and how to go on. */
export function Loaded<Data>({
  query,
  children,
  lines,
}: {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
  readonly lines?: number;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading {...(lines !== undefined && { lines })} />;
}
