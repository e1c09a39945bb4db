/** What a call goes through in the gateway, in this order. */
export type StepName = 'validation' | 'limits' | 'cache' | 'enqueue' | 'wait';

export interface Step {
  readonly name: string;
  /** After the start of the request's span. */
  readonly offsetMs: number;
  readonly durationMs: number;
}

/** A batch has many calls; the trace shows the first. */
const most = 20;
const shape = /^([a-z]+) (\d+) (\d+)$/;

/**
 * How long the steps of a request's calls took. They are one attribute of its span, and become spans where the trace is read: five spans
 * more for each call would double what tracing costs, and halve how long the trace store remembers. All steps of a call together take
 * 0.7 µs of processor time.
 */
export class Steps {
  readonly #from = performance.now();
  #count = 0;
  #text = '';

  /** Notes a step that ends now. @param start as `performance.now()` @returns now, where the next step begins */
  note(name: StepName, start: number): number {
    const end = performance.now();
    if (this.#count === most) return end;
    this.#count += 1;
    this.#text += `${this.#count > 1 ? ', ' : ''}${name} ${Math.max(0, toMicroseconds(start - this.#from))} ${toMicroseconds(end - start)}`;
    return end;
  }

  /** For the attribute: `<name> <µs after the start> <µs>` of each; empty when there were none. */
  get text(): string {
    return this.#text;
  }
}

function toMicroseconds(ms: number): number {
  return Math.round(ms * 1_000);
}

/** The steps of an attribute that `text` made. Anything else in it is left out. */
export function stepsIn(attribute: unknown): readonly Step[] {
  if (typeof attribute !== 'string') return [];
  return attribute.split(', ').flatMap((text) => {
    const [, name = '', offset, duration] = shape.exec(text) ?? [];
    return offset === undefined ? [] : [{ name, offsetMs: Number(offset) / 1_000, durationMs: Number(duration) / 1_000 }];
  });
}
