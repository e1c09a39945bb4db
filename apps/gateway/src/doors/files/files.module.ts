import { Module, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Files } from '#lib/files';
import { startSweep } from '#lib/platform';
import { CallersModule } from '../../callers/callers.module.js';
import { Stores } from '../../stores.js';
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

  /** Files of workers and of tenants' own tools alike. */
  onApplicationBootstrap(): void {
    this.#sweep = startSweep('expired files', async () => this.#removeExpired(), this.#stores.log);
  }

  async #removeExpired(): Promise<void> {
    const { log, pieces } = this.#stores;
    const removed = await this.#files.removeExpired(new Date());
    if (removed > 0) log.info({ event: 'files-swept', removed }, 'expired files removed');
    await pieces.removeExpired(Date.now());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#sweep?.stop();
  }
}
