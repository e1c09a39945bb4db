import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AdminModule } from './admin/admin.module.js';
import { CallersModule } from './callers/callers.module.js';
import { ScopeGuard } from './callers/scope.guard.js';
import { ChatModule } from './chat/chat.module.js';
import { DocsModule } from './docs/docs.module.js';
import { FilesModule } from './files/files.module.js';
import type { GatewayDefinition } from './gateway-definition.js';
import { GatewayLifecycle } from './gateway-lifecycle.js';
import { ProblemFilter } from './http/problem.filter.js';
import { StreamsModule } from './http/streams.module.js';
import { HistoryModule } from './history/history.module.js';
import { Infrastructure } from './infrastructure/infrastructure.js';
import { InfrastructureModule } from './infrastructure/infrastructure.module.js';
import { InvocationsModule } from './invocations/invocations.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { LibrariesModule } from './libraries/libraries.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { RunsModule } from './runs/runs.module.js';
import { ServingModule } from './serving/serving.module.js';
import { SkillsModule } from './skills/skills.module.js';
import { UsageModule } from './usage/usage.module.js';
import { ToolsModule } from './tools/tools.module.js';

/** The gateway: one pipeline, several doors. It never runs a tool. */
@Module({})
export class GatewayModule {
  static register(definition: GatewayDefinition): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        InfrastructureModule.register(definition),
        CallersModule,
        InvocationsModule,
        StreamsModule,
        ToolsModule,
        // Before the jobs: `/jobs/feed` is no job.
        RunsModule,
        JobsModule,
        ChatModule,
        ServingModule,
        McpModule.register(definition.mcpExtensions ?? []),
        FilesModule,
        SkillsModule,
        LibrariesModule,
        UsageModule,
        HistoryModule,
        DocsModule,
        AdminModule,
      ],
      providers: [
        GatewayLifecycle,
        { provide: APP_GUARD, useClass: ScopeGuard },
        { provide: APP_FILTER, inject: [Infrastructure], useFactory: ({ log }: Infrastructure) => new ProblemFilter(log) },
      ],
    };
  }
}
