export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON; undefined when it is none. */
  readonly body: unknown;
  /** What was sent, cut, for messages. */
  readonly request: string;
}

export function describe({ request, status, text }: Answer): string {
  return `${request} → ${status} ${text.slice(0, 300)}`;
}
