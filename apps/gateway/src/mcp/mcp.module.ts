import { Module, type DynamicModule } from '@nestjs/common';
import { Infrastructure } from '../infrastructure/infrastructure.js';
import { Calls } from '../invocations/calls.js';
import { InvocationsModule } from '../invocations/invocations.module.js';
import { ToolDirectory } from '../invocations/tool-directory.js';
import { ToolsModule } from '../tools/tools.module.js';
import { Cancellations } from './cancellations.js';
import { ClientAnswers } from './client-answers.js';
import { McpDoor } from './door.js';
import { McpController } from './mcp.controller.js';
import { ProtectedResource, ProtectedResourceController } from './protected-resource.js';
import type { McpExtension } from './server.js';
import { McpServersController } from './servers.controller.js';
import { McpServers } from './servers.js';
import { skillsIn } from './skills.js';
import { docsIn } from './docs.js';
import { Tasks } from './tasks.js';

@Module({})
export class McpModule {
  /** @param more parts of the protocol beside the product's own */
  static register(more: readonly McpExtension[]): DynamicModule {
    return {
      module: McpModule,
      imports: [InvocationsModule, ToolsModule],
      controllers: [McpController, McpServersController, ProtectedResourceController],
      providers: [
        Tasks,
        {
          provide: ProtectedResource,
          inject: [Infrastructure],
          useFactory: ({ settings }: Infrastructure) =>
            new ProtectedResource({ issuer: settings.JWT_ISSUER, publicUrl: settings.PUBLIC_URL }),
        },
        {
          provide: Cancellations,
          inject: [Infrastructure, Calls],
          useFactory: ({ redis, keys }: Infrastructure, calls: Calls) => new Cancellations({ redis, keys, calls }),
        },
        {
          provide: McpServers,
          inject: [Infrastructure],
          useFactory: ({ database, redis, keys, outside, sealer }: Infrastructure) =>
            new McpServers({ database, redis, keys, outside, sealer }),
        },
        {
          provide: McpDoor,
          inject: [Infrastructure, ToolDirectory, Calls, Tasks, Cancellations, ProtectedResource],
          useFactory: async (
            { settings, outside, servedDirectory, redis, subscriber, keys, log }: Infrastructure,
            tools: ToolDirectory,
            calls: Calls,
            tasks: Tasks,
            cancellations: Cancellations,
            resource: ProtectedResource,
          ) => {
            const extensions = [...(await skillsIn(settings.SKILLS_DIR, log)), ...docsIn('dist/docs'), ...more];
            const answers = new ClientAnswers({ redis, subscriber, keys });
            const door = new McpDoor({ tools, calls, tasks, cancellations, answers, extensions, resource, log });
            outside.onChange((tenants) => door.toolsChanged(tenants));
            servedDirectory.onChange((tenants) => door.toolsChanged(tenants));
            return door;
          },
        },
      ],
      exports: [McpDoor, ProtectedResource],
    };
  }
}
