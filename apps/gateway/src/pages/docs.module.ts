import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { RouteTable } from '../http/route-table.js';
import { DocsController } from './docs.controller.js';

@Module({ imports: [CallsModule], controllers: [DocsController], providers: [RouteTable], exports: [RouteTable] })
export class DocsModule {}
