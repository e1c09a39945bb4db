import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { RouteTable } from '../http/route-table.js';
import { DocsController } from './docs.controller.js';
import { LibrariesController } from './libraries.controller.js';
import { Libraries } from './libraries.js';
import { SkillsController } from './skills.controller.js';

@Module({
  imports: [CallsModule],
  controllers: [SkillsController, LibrariesController, DocsController],
  providers: [Libraries, RouteTable],
  exports: [RouteTable],
})
export class PagesModule {}
