/** No tool can be made of a query. The message says why, and what to do. */
export class UnusableQuery extends Error {
  override readonly name = 'UnusableQuery';
}
