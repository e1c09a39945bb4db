import { Module } from '@nestjs/common';
import { CallersModule } from '../callers/callers.module.js';
import { InvocationsModule } from '../invocations/invocations.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { CallsController } from './calls.controller.js';
import { JsonDoor } from './json-door.js';
import { nativeControllers } from './native.controller.js';
import { ToolsController } from './tools.controller.js';

@Module({
  imports: [CallersModule, InvocationsModule, JobsModule],
  controllers: [CallsController, ToolsController, ...nativeControllers],
  providers: [JsonDoor],
  exports: [JsonDoor],
})
export class ToolsModule {}
