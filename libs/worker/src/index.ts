export type { UpstreamAnswer } from './upstream-answers.js';
export type { RefuseWith, ToolContext } from './context.js';
export { Failure, failureKindOf } from './failures.js';
export { handlersWith, type Handler, type HandlerContext } from './handle.js';
export { retryAfterMs } from './retry-after.js';
export { runTool, type Attempt } from './run-tool.js';
export { startWorker } from './start-worker.js';
export type { WorkerInfrastructure } from './worker-definition.js';
