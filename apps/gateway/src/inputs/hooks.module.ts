import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { Hooks } from './hooks.js';
import { HooksController } from './hooks.controller.js';

@Module({
  imports: [CallsModule],
  controllers: [HooksController],
  providers: [Hooks],
  exports: [Hooks],
})
export class HooksModule {}
