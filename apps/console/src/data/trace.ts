import { useQuery } from '@tanstack/react-query';
import { InvoqError } from '#lib/client';
import { invoq } from './gateway.js';

const storingMs = 1_200;
const storingTries = 3;

export function isMissingTrace(error: unknown): boolean {
  return error instanceof InvoqError && error.code === 'RESOURCE_NOT_FOUND';
}

/** The trace of a call. @param version anything that changes when more spans have come */
export function useTrace(traceId: string, version = '') {
  return useQuery({
    queryKey: ['trace', traceId, version],
    queryFn: () => invoq.trace(traceId),
    placeholderData: (before) => before,
    // Spans are stored a moment after what they tell of.
    retry: (failures, error) => failures < storingTries && isMissingTrace(error),
    retryDelay: storingMs,
    refetchInterval: ({ state }) => (state.data && state.dataUpdateCount < storingTries ? storingMs : false),
  });
}
