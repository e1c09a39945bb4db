// The messages between a worker and its sandboxed processes.

export interface Task {
  readonly name: string;
  readonly input: unknown;
  readonly timeMs: number;
}

/** To a process. */
export type Order = ({ readonly kind: 'task' } & Task) | { readonly kind: 'reply'; readonly id: number; readonly value: unknown };

export type ProcessMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly value: unknown }
  /** Something that the worker is to do for the task, which waits for the reply with this id. */
  | { readonly kind: 'ask'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'done'; readonly value: unknown }
  /** A fault of ours: functions return what is wrong with a text. */
  | { readonly kind: 'failed'; readonly stack: string };
