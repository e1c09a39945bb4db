import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Loaded } from '../../components/loading.js';
import { useMemoryQuery } from '../../data/memory.js';
import { useText } from '../../language/use-text.js';
import { ChangeList } from './change-list.js';
import { NodeDiff } from './node-diff.js';
import { memoryText } from './text.js';

/** What differs between a commit and what there is now; the text of a node on request. */
export function CommitDiff({ from }: { readonly from: string }) {
  const words = useText(memoryText);
  const diff = useMemoryQuery('diff_commits', { from });
  const [nodeId, setNodeId] = useState<string | null>(null);
  return (
    <Loaded query={diff}>
      {({ changes }) =>
        changes.length === 0 ? (
          <p className="faint">{words.noDifference}</p>
        ) : (
          <>
            <ChangeList
              changes={changes}
              actions={(change) => (
                <Button small look="quiet" onClick={() => setNodeId(change.nodeId === nodeId ? null : change.nodeId)}>
                  {words.diffOf}
                </Button>
              )}
            />
            {nodeId !== null && <NodeDiff from={from} nodeId={nodeId} />}
          </>
        )
      }
    </Loaded>
  );
}
