import { Module } from '@nestjs/common';
import { LibrariesController } from './libraries.controller.js';
import { Libraries } from './libraries.js';

@Module({
  controllers: [LibrariesController],
  providers: [Libraries],
})
export class LibrariesModule {}
