import { CodeBlock } from '../../components/code-block.js';
import { Loaded } from '../../components/loading.js';
import { useMemoryQuery } from '../../data/memory.js';
import { useText } from '../../language/use-text.js';
import { memoryText } from './text.js';

/** The view as a model reads it. */
export function Context() {
  const words = useText(memoryText);
  const view = useMemoryQuery('render_view', {});
  return (
    <div className="stack">
      <p className="soft">{words.contextHelp}</p>
      <Loaded query={view}>{({ markdown }) => <CodeBlock label={words.context} text={markdown} />}</Loaded>
    </div>
  );
}
