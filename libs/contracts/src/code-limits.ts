// What code of a model may take and make.

/** @limit code: characters of code; INVALID_PARAMS */
export const mostCodeCharacters = 50_000;
/** @limit code: time of a run, without its rests, ms; OUT_OF_TIME */
export const mostCodeMs = 120_000;
/** @limit code: calls that code makes; TOO_MANY_CALLS */
export const mostCodeCalls = 100;
/** @limit code: calls that code makes at a time; the others wait */
export const codeCallsAtOnce = 5;
/** @limit code: bytes of the result of one call in code; the call fails there with PAYLOAD_TOO_LARGE */
export const mostCallBytes = 1_000_000;
/** @limit code: bytes of the results of all calls in code; further calls fail there with PAYLOAD_TOO_LARGE */
export const mostCallsBytes = 7_000_000;
/** @limit code: bytes of what code returns; RESULT_TOO_LARGE */
export const mostCodeResultBytes = 1_000_000;
/** @limit code: characters of what code prints; the rest is left out */
export const mostLogCharacters = 20_000;
/** @limit code: memory of the interpreter of code, MB; OUT_OF_MEMORY */
export const codeMemoryMb = 64;
/** @limit code: time of a processor that code has, without that in which it waits for calls, ms; RUNS_TOO_LONG */
export const codeProcessorMs = 5_000;
