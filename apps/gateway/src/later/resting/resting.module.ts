import { Module } from '@nestjs/common';
import { Stores } from '../../stores.js';
import { CallArchive } from './call-archive.js';
import { CallMover } from './call-mover.js';

/** Calls that rest for long. */
@Module({
  providers: [CallArchive, CallMover],
  exports: [CallArchive, CallMover],
})
export class RestingModule {
  constructor({ store }: Stores, archive: CallArchive) {
    store.keptElsewhere(archive);
  }
}
