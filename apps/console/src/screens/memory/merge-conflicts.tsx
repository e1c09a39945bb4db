import type { ProductTools } from '#lib/contracts';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/notice.js';
import { TextDiff } from '../../components/text-diff.js';
import { useText } from '../../language/use-text.js';
import { memoryText } from './text.js';

interface MergeConflictsProps {
  readonly conflicts: ProductTools['merge_branch']['output']['conflicts'];
  readonly onPrefer: (side: 'Ours' | 'Theirs') => void;
}

/** What both branches changed, field by field, and the choice of who wins. */
export function MergeConflicts({ conflicts, onPrefer }: MergeConflictsProps) {
  const words = useText(memoryText);
  return (
    <section className="stack" aria-label={words.conflicts}>
      <Notice tone="warn">{words.conflicts}</Notice>
      {conflicts.map(({ nodeId, field, base, ours, theirs }) => (
        <div key={`${nodeId} ${field}`} className="stack tight">
          <p>
            <code>{nodeId}</code> <strong>{field}</strong>
          </p>
          <div className="columns two">
            <div>
              <h3>{words.ours}</h3>
              <TextDiff label={words.ours} before={base ?? ''} after={ours ?? ''} />
            </div>
            <div>
              <h3>{words.theirs}</h3>
              <TextDiff label={words.theirs} before={base ?? ''} after={theirs ?? ''} />
            </div>
          </div>
        </div>
      ))}
      <div className="line">
        <Button look="primary" onClick={() => onPrefer('Ours')}>
          {words.preferOurs}
        </Button>
        <Button onClick={() => onPrefer('Theirs')}>{words.preferTheirs}</Button>
      </div>
    </section>
  );
}
