export interface SystemProcess {
  readonly name: string;
  readonly pid: number;
  /** From its spawn to its first good answer; null where it is not measured. */
  readonly startMs: number | null;
}

/** The product that is measured. */
export interface Product {
  readonly redisUrl: string;
  readonly gatewayUrl: string;
  readonly apiKey: string;
  readonly workerHealthUrl: string;
  readonly processes: readonly SystemProcess[];
}
