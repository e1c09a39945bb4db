/** A message to the gateway. */
export interface Message {
  readonly type: string;
  readonly attempt?: string;
  readonly [field: string]: unknown;
}
