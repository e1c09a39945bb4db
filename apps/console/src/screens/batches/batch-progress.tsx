import type { Batch } from '#lib/client';
import { Badge, type Tone } from '../../components/badge.js';
import { formatCount } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { batchesText } from './text.js';

const tones: Readonly<Record<Batch['state'], Tone>> = { accepting: 'info', running: 'info', completed: 'good', cancelled: 'plain' };

export function BatchState({ state }: Pick<Batch, 'state'>) {
  const words = useText(batchesText);
  const isOpen = state === 'accepting' || state === 'running';
  return (
    <Badge tone={tones[state]}>
      <i className={`dot ${isOpen ? 'alive' : ''}`} />
      {words.states[state]}
    </Badge>
  );
}

/** Calls that have ended. */
export function endedOf({ completed, failed, cancelled }: Pick<Batch, 'completed' | 'failed' | 'cancelled'>): number {
  return completed + failed + cancelled;
}

/** How many of its calls have ended, and how. */
export function BatchProgress({ batch }: { readonly batch: Batch }) {
  const words = useText(batchesText);
  const language = useLanguage();
  const { total, completed, failed, cancelled } = batch;
  const shown = words.progressOf(formatCount(endedOf(batch), language), formatCount(total, language));
  const share = (part: number) => ({ width: `${total > 0 ? (part / total) * 100 : 0}%` });
  return (
    <div className="batch-progress">
      <div className="meter stacked" role="meter" aria-label={shown} aria-valuemin={0} aria-valuemax={total} aria-valuenow={endedOf(batch)}>
        <i className="good" style={share(completed)} />
        <i className="bad" style={share(failed)} />
        <i className="plain" style={share(cancelled)} />
      </div>
      <span className="number">{shown}</span>
    </div>
  );
}
