import { Module } from '@nestjs/common';
import { RouteTable } from '../http/route-table.js';
import { DocsController } from './docs.controller.js';

@Module({ controllers: [DocsController], providers: [RouteTable], exports: [RouteTable] })
export class DocsModule {}
