import { Loaded } from '../../components/loading.js';
import { TextDiff } from '../../components/text-diff.js';
import { useMemoryQuery } from '../../data/memory.js';
import { useText } from '../../language/use-text.js';
import { memoryText } from './text.js';

interface NodeDiffProps {
  readonly nodeId: string;
  /** A commit or branch. */
  readonly from: string;
  /** The same; what there is now when absent. */
  readonly to?: string;
}

/** The text of a node in two states. */
export function NodeDiff(states: NodeDiffProps) {
  const words = useText(memoryText);
  const diff = useMemoryQuery('diff_commits', states);
  return <Loaded query={diff}>{({ before, after }) => <TextDiff label={words.diffOf} before={before ?? ''} after={after ?? ''} />}</Loaded>;
}
