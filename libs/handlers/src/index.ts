export type { Ask, Asked, AskedQuestion, AskedRest, Hook, HooksAt, StepRecords, Wait, Waits } from './step-types.js';
export {
  fileBytesFact,
  type Facts,
  type LogLevel,
  type MakeRefusal,
  type OutgoingFile,
  type OwnToolContext,
  type RefuseWith,
  type ToolContext,
} from './context.js';
export { Failure, failureKindOf } from './failures.js';
export { handlersWith, withParameters, type Handler, type Handle, type HandlerContext } from './handle.js';
export { retryAfterMs } from './retry-after.js';
export { runTool, type Attempt, type AttemptResult } from './run-tool.js';
export { ToolRefusal } from './tool-refusal.js';
export type { AccountAccess, AccountRecords, AskedConnection, MissingAccount } from './account-records.js';
export { TimeLimit } from './time-limit.js';
export { shownText, type UpstreamAnswer } from './upstream-answers.js';
