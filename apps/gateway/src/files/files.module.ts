import { Module, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Files } from '#lib/files';
import { startSweep } from '#lib/platform';
import { CallersModule } from '../callers/callers.module.js';
import { Stores } from '../stores.js';
import { FilesController } from './files.controller.js';

@Module({ imports: [CallersModule], controllers: [FilesController] })
export class FilesModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #stores: Stores;
  readonly #files: Files;
  #sweep: ReturnType<typeof startSweep> | null = null;

  constructor(stores: Stores, files: Files) {
    this.#stores = stores;
    this.#files = files;
  }

  /** There may be no worker that removes the files of tenants' own tools. */
  onApplicationBootstrap(): void {
    this.#sweep = startSweep('expired files', async () => void (await this.#files.removeExpired(new Date())), this.#stores.log);
  }

  beforeApplicationShutdown(): void {
    this.#sweep?.stop();
  }
}
