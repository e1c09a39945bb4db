import type { UIMessage } from 'ai';

interface Asked {
  readonly toolCallId: string;
  readonly jobId: string;
  readonly message: string;
}

/** What somebody is asked about the calls of a message, by the id of the call; the latest of each. */
export function askedOf({ parts }: UIMessage): ReadonlyMap<string, Asked> {
  return new Map(
    parts.flatMap((part) =>
      part.type === 'data-input-request' && 'data' in part && isAsked(part.data) ? [[part.data.toolCallId, part.data] as const] : [],
    ),
  );
}

function isAsked(data: unknown): data is Asked {
  if (typeof data !== 'object' || data === null || !('toolCallId' in data) || !('jobId' in data) || !('message' in data)) return false;
  return [data.toolCallId, data.jobId, data.message].every((field) => typeof field === 'string');
}
