// The messages between a worker and its sandboxed processes.

export interface Task {
  readonly name: string;
  readonly input: unknown;
  readonly timeMs: number;
}

export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly value: unknown }
  | { readonly kind: 'done'; readonly value: unknown }
  /** A fault of ours: functions return what is wrong with a text. */
  | { readonly kind: 'failed'; readonly stack: string };
