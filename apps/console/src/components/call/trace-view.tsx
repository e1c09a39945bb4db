import { isMissingTrace, useTrace } from '../../data/trace.js';
import { useText } from '../../language/use-text.js';
import { EmptyState } from '../empty-state.js';
import { Loaded } from '../loading.js';
import { callText } from './text.js';
import { Waterfall } from './waterfall.js';

/** The trace of a call, or that it is kept no more. @param version anything that changes when more spans have come */
export function TraceView({ traceId, version = '' }: { readonly traceId: string; readonly version?: string }) {
  const trace = useTrace(traceId, version);
  return isMissingTrace(trace.error) ? <NoTrace /> : <Loaded query={trace}>{(data) => <Waterfall trace={data} />}</Loaded>;
}

/** Why there is no trace any more. */
export function NoTrace() {
  const words = useText(callText);
  return (
    <EmptyState icon="clock" title={words.noTrace}>
      <p>{words.noTraceHelp}</p>
    </EmptyState>
  );
}
