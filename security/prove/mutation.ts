/** A fault that is planted into a copy of the sources: in this file, this text, which stands there once, becomes another. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly becomes: string;
  /** Which cases must find it, as `--only` names them. */
  readonly foundBy: string;
}
