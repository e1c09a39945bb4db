export type { AskCaller } from './attempt-records.js';
// Of which the gateway makes the part of a worker for those that are connected to it.
export { accountFailure, CallAccounts } from './call-accounts.js';
export { JobProcessor } from './process-job.js';
export { Questions } from './questions.js';
export { Reaper } from './reaper.js';
export { endedElsewhere, GivenBack, goesOnLater, shutdown } from './release.js';
export { TurnSteps } from './job-steps.js';
export { ToolServer } from './tool-server.js';
export { runWorker, startWorker } from './start-worker.js';
export type { WorkerDefinition, WorkerInfrastructure } from './worker-definition.js';
export { Waker } from './waker.js';
