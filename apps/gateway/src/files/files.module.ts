import { Module } from '@nestjs/common';
import { CallersModule } from '../callers/callers.module.js';
import { FilesController } from './files.controller.js';

@Module({ imports: [CallersModule], controllers: [FilesController] })
export class FilesModule {}
