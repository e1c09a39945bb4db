import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { RulesModule } from '../rules/rules.module.js';
import { ToolsetsController } from './toolsets.controller.js';

@Module({ imports: [CallsModule, RulesModule], controllers: [ToolsetsController] })
export class ToolsetsModule {}
