// The handlers of this worker, a line a tool.
export * from './chat-turn.js';
export * from './local.js';
