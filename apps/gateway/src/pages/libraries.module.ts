import { Module } from '@nestjs/common';
import { Stores } from '../stores.js';
import { LibrariesController } from './libraries.controller.js';
import { Libraries } from './libraries.js';

@Module({
  controllers: [LibrariesController],
  providers: [{ provide: Libraries, inject: [Stores], useFactory: ({ database }: Stores) => new Libraries(database) }],
})
export class LibrariesModule {}
