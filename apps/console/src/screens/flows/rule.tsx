import type { Flow } from '#lib/client';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import { flowsText } from './text.js';

/** What a flow lets through in each of its lines. */
export function Rule({ of: { concurrency, rate } }: { readonly of: Pick<Flow, 'concurrency' | 'rate'> }) {
  const words = useText(flowsText);
  return (
    <>
      {concurrency !== null && <div>{words.atATime(concurrency)}</div>}
      {rate && <div>{words.inTime(rate.max, formatMs(rate.per_ms))}</div>}
    </>
  );
}
