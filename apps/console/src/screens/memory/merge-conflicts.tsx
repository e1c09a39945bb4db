import type { ProductTools } from '#lib/contracts';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/notice.js';
import { TextDiff } from '../../components/text-diff.js';
import { useText } from '../../language/use-text.js';
import { NodeDiff } from './node-diff.js';
import { memoryText } from './text.js';

type Conflict = ProductTools['merge_branch']['output']['conflicts'][number];
/** Of a long text a conflict holds the hashes alone. */
const longTexts = ['content', 'brief', 'summary'];

interface MergeConflictsProps {
  /** Names of both branches. */
  readonly ours: string;
  readonly theirs: string;
  readonly conflicts: readonly Conflict[];
  readonly onPrefer: (side: 'Ours' | 'Theirs') => void;
}

/** What both branches changed, field by field, and the choice of who wins. */
export function MergeConflicts({ ours, theirs, conflicts, onPrefer }: MergeConflictsProps) {
  const words = useText(memoryText);
  return (
    <section className="stack" aria-label={words.conflicts}>
      <Notice tone="warn">{words.conflicts}</Notice>
      {conflicts.map((conflict) => (
        <div key={`${conflict.nodeId} ${conflict.field}`} className="stack tight">
          <p>
            <code>{conflict.nodeId}</code> <strong>{conflict.field}</strong>
          </p>
          {longTexts.includes(conflict.field) ? (
            <>
              <p className="faint">{words.fromTo(ours, theirs)}</p>
              <NodeDiff nodeId={conflict.nodeId} from={ours} to={theirs} />
            </>
          ) : (
            <BothSides conflict={conflict} />
          )}
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

function BothSides({ conflict: { base, ours, theirs } }: { readonly conflict: Conflict }) {
  const words = useText(memoryText);
  return (
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
  );
}
