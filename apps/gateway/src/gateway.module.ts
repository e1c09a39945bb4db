import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { OperationsModule } from './operations/operations.module.js';
import { BatchesModule } from './later/batches/batches.module.js';
import { CallersModule } from './callers/callers.module.js';
import { ScopeGuard } from './http/scope.guard.js';
import { ChatModule } from './doors/chat/chat.module.js';
import { DecisionsModule } from './inputs/decisions.module.js';
import { RestingModule } from './later/resting/resting.module.js';
import { PagesModule } from './pages/pages.module.js';
import { FilesModule } from './doors/files/files.module.js';
import { HooksModule } from './inputs/hooks.module.js';
import type { GatewayDefinition } from './gateway-definition.js';
import { GatewayLifecycle } from './gateway-lifecycle.js';
import { ProblemFilter } from './http/problem.filter.js';
import { StreamsModule } from './http/streams.module.js';
import { HistoryModule } from './records/history.module.js';
import { StoresModule } from './stores.module.js';
import { CallsModule } from './calls/calls.module.js';
import { JobsModule } from './doors/jobs.module.js';
import { McpModule } from './doors/mcp/mcp.module.js';
import { OutsideModule } from './outside/outside.module.js';
import { CallListsModule } from './records/call-lists.module.js';
import { ServingModule } from './serving/serving.module.js';
import { AlertsModule } from './operations/alerts/alerts.module.js';
import { AccountsModule } from './outside/accounts/accounts.module.js';
import { ControlsModule } from './controls/controls.module.js';
import { SchedulesModule } from './later/schedules/schedules.module.js';
import { UsageModule } from './records/usage.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { ToolsModule } from './doors/tools.module.js';

/** The gateway: one pipeline, several doors. It never runs a tool. */
@Module({})
export class GatewayModule {
  static register(definition: GatewayDefinition): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        StoresModule.register(definition),
        CallersModule,
        CallsModule,
        StreamsModule,
        ToolsModule,
        // Before the jobs: `/jobs/feed` is no job.
        CallListsModule,
        JobsModule,
        ChatModule,
        ServingModule,
        McpModule.register(definition.mcpExtensions ?? []),
        OutsideModule,
        FilesModule,
        HooksModule,
        SchedulesModule,
        BatchesModule,
        ControlsModule,
        AccountsModule,
        AlertsModule,
        WebhooksModule,
        DecisionsModule,
        RestingModule,
        UsageModule,
        HistoryModule,
        PagesModule,
        OperationsModule,
      ],
      providers: [GatewayLifecycle, { provide: APP_GUARD, useClass: ScopeGuard }, { provide: APP_FILTER, useClass: ProblemFilter }],
    };
  }
}
