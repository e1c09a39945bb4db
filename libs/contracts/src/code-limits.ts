// What code of a model may take and make.

/** @limit code: characters of code; INVALID_PARAMS */
export const mostCodeCharacters = 50_000;
/** @limit code: time of a run, without its rests; the run fails, OUT_OF_TIME */
export const mostCodeMs = 120_000;
/** @limit code: calls of a run; the run fails, TOO_MANY_CALLS */
export const mostCodeCalls = 100;
/** @limit code: calls of a run at a time; the others wait */
export const codeCallsAtOnce = 5;
/** @limit code: bytes of the result of a call in code; the call fails there with PAYLOAD_TOO_LARGE */
export const mostCallBytes = 1_000 * 1_024;
/** @limit code: bytes of the results of all calls of a run; further calls fail there with PAYLOAD_TOO_LARGE */
export const mostCallsBytes = 7 * 1_048_576;
/** @limit code: bytes of what code returns; the run fails, RESULT_TOO_LARGE */
export const mostCodeResultBytes = 1_048_576;
/** @limit code: characters that code prints; the rest is left out */
export const mostLogCharacters = 20_000;
/** @limit code: megabytes of memory of a run; the run fails, OUT_OF_MEMORY */
export const codeMemoryMb = 64;
/** @limit code: time of a processor for a run, without that in which it waits for calls; the run fails, RUNS_TOO_LONG */
export const codeProcessorMs = 5_000;
