// One numbered case of a run: what is sent, as plain data. A case that found a fault is kept as it is.

/** One request. `{{name}}` in its texts stands for a key, an address or something that an earlier answer named. */
export interface Step {
  readonly method: string;
  /** Path and query as they are sent, not normalised. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  /** A body that is no text, in base64. */
  readonly bytes?: string;
  /** Sent over a socket instead of everything above. One character is one byte. */
  readonly raw?: string;
  /** The reader of a stream leaves after so many ms. */
  readonly leavesAfterMs?: number;
  /** Names for fields of the answer's JSON body, for later steps. */
  readonly take?: Readonly<Record<string, string>>;
}

export interface Case {
  /** What kind of request it is, for the report. */
  readonly door: string;
  /** At the gateway with the limits of production, or at the one where they are lifted. */
  readonly limited?: boolean;
  readonly steps: readonly Step[];
}

/** Puts in what the names stand for. A name that nothing stands for becomes `none`. */
export function filled(text: string, names: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => (/^\w{1,20}$/.test(name) ? (names.get(name) ?? 'none') : whole));
}
