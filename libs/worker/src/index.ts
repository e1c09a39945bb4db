export { Failure } from './failures.js';
export { handlersWith, type Handler, type HandlerContext } from './handle.js';
export { runTool, type Attempt } from './run-tool.js';
export { runWorker } from './run-worker.js';
