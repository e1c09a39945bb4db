// What a worker of a tenant is written with; published as @invoq/worker.
export { secret, sensitive } from '#lib/contracts';
export { Failure, retryAfterMs, type Ask, type Asked, type Hook, type OwnToolContext as ToolContext } from '#lib/handlers';
export { defineTool, type OwnContract, type Tool } from './own-contract.js';
export { file, fileSchema, type FileContent, type FileFacts, type ToolFile } from './file.js';
export { tool, type ToolSpec } from './tool.js';
export { handle } from './handle.js';
export { serve, type ServeOptions, type ServedWorker } from './serve.js';
export type { WorkerEvent } from './worker-event.js';
export { testTool, type TestCall, type GivenFile, type TestedTool } from './tested-tool.js';
export { resolveTypeScript } from './folder/resolve-typescript.js';
export { serveFolder, type FolderEvent, type FolderOptions, type ServedFolder } from './folder/serve-folder.js';
