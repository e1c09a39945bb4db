import { Module } from '@nestjs/common';
import { CallersModule } from '../callers/callers.module.js';
import { CallsModule } from '../calls/calls.module.js';
import { FindingModule } from './finding.module.js';
import { JobsModule } from './jobs.module.js';
import { CallsController } from './calls.controller.js';
import { FoundTools } from './found-tools.js';
import { JsonDoor } from './json-door.js';
import { nativeControllers } from './native.controller.js';
import { ToolsController } from './tools.controller.js';

@Module({
  imports: [CallersModule, CallsModule, FindingModule, JobsModule],
  controllers: [CallsController, ToolsController, ...nativeControllers],
  providers: [FoundTools, JsonDoor],
  exports: [JsonDoor],
})
export class ToolsModule {}
