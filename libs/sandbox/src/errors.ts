/** A task was ended because of what its text costs. The message continues a sentence: `takes more than 2 s`. */
export class OverLimit extends Error {
  override readonly name = 'OverLimit';
  readonly limit: 'time' | 'memory';

  constructor(limit: 'time' | 'memory', most: string) {
    super(limit === 'time' ? `takes more than ${most}` : `needs more than ${most} of memory`);
    this.limit = limit;
  }
}

/** A tenant sends more work than its share gets done. */
export class TooManyWaiting extends Error {
  override readonly name = 'TooManyWaiting';
}
