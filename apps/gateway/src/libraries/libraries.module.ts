import { Module } from '@nestjs/common';
import { Infrastructure } from '../infrastructure/infrastructure.js';
import { LibrariesController } from './libraries.controller.js';
import { Libraries } from './libraries.js';

@Module({
  controllers: [LibrariesController],
  providers: [{ provide: Libraries, inject: [Infrastructure], useFactory: ({ database }: Infrastructure) => new Libraries(database) }],
})
export class LibrariesModule {}
