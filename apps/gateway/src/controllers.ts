import { HealthController } from './admin/health.controller.js';
import { TracesController } from './admin/traces.controller.js';
import { KeysController } from './callers/keys.controller.js';
import { TicketsController } from './callers/tickets.controller.js';
import { ChatController } from './chat/chat.controller.js';
import { DocsController } from './docs/docs.controller.js';
import { CallsController } from './doors/calls.controller.js';
import { FilesController } from './doors/files.controller.js';
import { JobsController } from './doors/jobs.controller.js';
import { McpController } from './doors/mcp/mcp.controller.js';
import { ProtectedResourceController } from './doors/mcp/protected-resource.js';
import { McpServersController } from './doors/mcp/servers.controller.js';
import { NativeController } from './doors/native.controller.js';
import { SkillsController } from './doors/skills.controller.js';
import { ToolsController } from './doors/tools.controller.js';

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
