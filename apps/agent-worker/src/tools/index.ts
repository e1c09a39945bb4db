// The handlers of this worker, one line for each tool.
export * from './chat-turn.js';
export * from './local.js';
export * from './run-code.js';
