/** Tests with processes, stores or a browser, which share the processors with the tests beside them. */
const slow = /^test\/(e2e|console|packages|documents)\/|\.(integration|long|timing)\.test\.ts$/;

/** More is a fault of the product or of the tests. */
const mostFiles = 4;

/**
 * The test files that may run a second time, with nothing beside them: all that failed, or none. A few systems that are started at a moment
 * when the machine does something else can fail by their time limits. A test without processes fails for a reason.
 */
export function filesOfSecondRun(failed: readonly string[]): readonly string[] {
  return failed.length <= mostFiles && failed.every((file) => slow.test(file)) ? failed : [];
}
