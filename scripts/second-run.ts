/** A test file that failed. */
export interface FailedFile {
  readonly file: string;
  readonly seconds: number;
}

/** Tests with processes, stores or a browser, which share the processors with the tests beside them. */
const slow = /^test\/(e2e|console|packages|documents)\/|\.(integration|long|timing)\.test\.ts$/;
/** So have most of the other files that take so long. */
const slowSeconds = 5;

/** More is a fault of the product or of the tests. */
const mostFiles = 4;

/**
 * The test files that may run a second time, with nothing beside them: all that failed, or none. A few systems that are started at a moment
 * when the machine does something else can fail by their time limits. A quick test without processes fails for a reason.
 */
export function filesOfSecondRun(failed: readonly FailedFile[]): readonly string[] {
  const isSlow = ({ file, seconds }: FailedFile): boolean => slow.test(file) || seconds >= slowSeconds;
  return failed.length <= mostFiles && failed.every(isSlow) ? failed.map(({ file }) => file) : [];
}
