import type { ReactNode } from 'react';
import type { ProductTools } from '#lib/contracts';
import { Badge, type Tone } from '../../components/badge.js';
import { useText } from '../../language/use-text.js';
import { memoryText } from './text.js';

type Change = ProductTools['diff_commits']['output']['changes'][number];
const tones: Readonly<Record<Change['change'], Tone>> = { Added: 'good', Modified: 'info', Deleted: 'bad', Moved: 'warn' };

interface ChangeListProps<Shown extends Change> {
  readonly changes: readonly Shown[];
  /** What stands at the end of a line. */
  readonly actions: (change: Shown) => ReactNode;
}

/** Nodes that differ, and in what. */
export function ChangeList<Shown extends Change>({ changes, actions }: ChangeListProps<Shown>) {
  const words = useText(memoryText);
  return (
    <ul className="stack tight">
      {changes.map((change) => (
        <li key={change.nodeId} className="line wrap">
          <Badge tone={tones[change.change]}>{words.change[change.change]}</Badge>
          <span className="truncate">{change.title || change.nodeId}</span>
          <span className="faint mono">{change.fields.join(', ')}</span>
          <span className="grow" />
          {actions(change)}
        </li>
      ))}
    </ul>
  );
}
