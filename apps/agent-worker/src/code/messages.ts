// What passes between the worker and the process that runs code of a model. Neither believes the other: the worker checks what it is asked,
// and the process hands on texts alone.

export interface Code {
  /** The body of an async function. */
  readonly code: string;
  /** Names of the functions that it has. */
  readonly tools: readonly string[];
  /** Where its clock begins, epoch ms. It goes on with each reply. */
  readonly startedAt: number;
  /** What its random numbers begin with. */
  readonly seed: number;
  /** Time of a processor, ms. */
  readonly timeMs: number;
  readonly memoryMb: number;
  /** Of the lines that it prints: the rest is left out. */
  readonly logCharacters: number;
}

/** What the code asks of the worker. `input` is JSON. */
export type Ask =
  | { readonly kind: 'call'; readonly tool: string; readonly input: string }
  | { readonly kind: 'describe'; readonly tool: string }
  | { readonly kind: 'search'; readonly query: string };

/** The answer, as JSON of `{ data }` or `{ error: { code, message, retryable } }`, and when it came, epoch ms. */
export interface Reply {
  readonly json: string;
  readonly at: number;
}

export const codeFaults = ['syntax', 'threw', 'not-json', 'time', 'memory', 'depth', 'stuck'] as const;
export type CodeFault = (typeof codeFaults)[number];

/** How the code ended. `json` is JSON of what it returned; `line` is one of the code, from 1. */
export type CodeResult =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly fault: CodeFault; readonly message: string; readonly line?: number | undefined };
export type CodeEnd = CodeResult & { readonly logs: readonly string[] };
