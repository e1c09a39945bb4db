/** A message that is measured. It is told of what became of it. */
export interface MeasuredRequest {
  /** By a code of JSON-RPC. */
  refusedBy(code: number): void;
  toolFailed(): void;
  /** @param startedAt by `performance.now()` @param status of HTTP */
  ended(startedAt: number, status: number): void;
}
