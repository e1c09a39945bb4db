import { Loading } from '../../components/loading.js';
import { Meter } from '../../components/meter.js';
import { useMemoryQuery } from '../../data/memory.js';
import { formatCount } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { memoryText } from './text.js';

/** What a view may cost where nobody says otherwise (render_view). */
const budgetTokens = 8_000;

/** How much of a model's context the view takes. */
export function Budget() {
  const words = useText(memoryText);
  const language = useLanguage();
  const { data, isPending } = useMemoryQuery('render_view', { maxTokens: budgetTokens });
  if (isPending) return <Loading lines={2} />;
  const tokens = data?.tokens ?? 0;
  return (
    <div className="stack tight">
      <div className="line spread wrap">
        <span className="soft">{words.budget}</span>
        <span>
          <strong className="number">{words.tokensOf(formatCount(tokens, language), formatCount(budgetTokens, language))}</strong>{' '}
          <span className="faint">
            {data && words.unfolded(data.expandedNodes, data.shownNodes)}
            {data && data.foldedToFit.length > 0 && ` · ${words.folded(data.foldedToFit.length)}`}
          </span>
        </span>
      </div>
      <Meter label={words.budget} value={tokens} max={budgetTokens} />
    </div>
  );
}
