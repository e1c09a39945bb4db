import { useQuery } from '@tanstack/react-query';
import { InvoqError } from '#lib/client';
import { invoq } from '../../data/gateway.js';
import { useText } from '../../language/use-text.js';
import { EmptyState } from '../empty-state.js';
import { Loaded } from '../loading.js';
import { runText } from './text.js';
import { Waterfall } from './waterfall.js';

const storingMs = 1_200;
const storingTries = 3;

function isMissing(error: unknown): boolean {
  return error instanceof InvoqError && error.code === 'RESOURCE_NOT_FOUND';
}

/** The trace of a call, or that it is kept no more. @param version anything that changes when more spans have come */
export function TraceView({ traceId, version = '' }: { readonly traceId: string; readonly version?: string }) {
  const words = useText(runText);
  const trace = useQuery({
    queryKey: ['trace', traceId, version],
    queryFn: () => invoq.trace(traceId),
    placeholderData: (before) => before,
    // Spans are stored a moment after what they tell of.
    retry: (failures, error) => failures < storingTries && isMissing(error),
    retryDelay: storingMs,
    refetchInterval: ({ state }) => (state.data && state.dataUpdateCount < storingTries ? storingMs : false),
  });
  if (isMissing(trace.error)) {
    return (
      <EmptyState icon="clock" title={words.noTrace}>
        <p>{words.noTraceHelp}</p>
      </EmptyState>
    );
  }
  return <Loaded query={trace}>{(data) => <Waterfall trace={data} />}</Loaded>;
}
