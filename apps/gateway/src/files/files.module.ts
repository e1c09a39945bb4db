import { Module } from '@nestjs/common';
import { FileLinks, Files, openDisk } from '#lib/files';
import { CallersModule } from '../callers/callers.module.js';
import { Infrastructure } from '../infrastructure/infrastructure.js';
import { FilesController } from './files.controller.js';

@Module({
  imports: [CallersModule],
  controllers: [FilesController],
  providers: [
    {
      provide: Files,
      inject: [Infrastructure],
      useFactory: ({ settings, database }: Infrastructure) => new Files(database, () => openDisk(settings)),
    },
    { provide: FileLinks, inject: [Infrastructure], useFactory: ({ settings }: Infrastructure) => new FileLinks(settings.SEALING_KEYS) },
  ],
  exports: [Files, FileLinks],
})
export class FilesModule {}
