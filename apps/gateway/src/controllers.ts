import { HealthController } from './admin/health.controller.js';
import { TracesController } from './admin/traces.controller.js';
import { KeysController } from './callers/keys.controller.js';
import { TicketsController } from './callers/tickets.controller.js';
import { ChatController } from './chat/chat.controller.js';
import { DocsController } from './docs/docs.controller.js';
import { CallsController } from './tools/calls.controller.js';
import { FilesController } from './files/files.controller.js';
import { JobsController } from './jobs/jobs.controller.js';
import { McpController } from './mcp/mcp.controller.js';
import { ProtectedResourceController } from './mcp/protected-resource.js';
import { McpServersController } from './mcp/servers.controller.js';
import { NativeController } from './tools/native.controller.js';
import { SkillsController } from './skills/skills.controller.js';
import { ToolsController } from './tools/tools.controller.js';

/** Every controller of the gateway. */
export const controllers = [
  CallsController,
  ToolsController,
  NativeController,
  FilesController,
  JobsController,
  ChatController,
  SkillsController,
  TicketsController,
  KeysController,
  TracesController,
  DocsController,
  McpController,
  McpServersController,
  ProtectedResourceController,
  HealthController,
] as const;
