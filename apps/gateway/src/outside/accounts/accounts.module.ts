import { Module, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { resealAccounts } from '#lib/accounts';
import { startSweep, type Rounds } from '#lib/platform';
import { DecisionsModule } from '../../inputs/decisions.module.js';
import { WaitingModule } from '../../calls/waiting/waiting.module.js';
import { Stores } from '../../stores.js';
import { AttemptStore } from './attempt-store.js';
import { Connecting } from './connecting.js';
import { ConnectionPagesController } from './connection-pages.controller.js';
import { ConnectionRequestsController } from './connection-requests.controller.js';
import { ConnectionsController } from './connections.controller.js';
import { ProvidersController } from './providers.controller.js';

/** Users' own accounts: at which providers they are, and how they are connected. */
@Module({
  imports: [DecisionsModule, WaitingModule],
  // The pages first: `/connections/callback` is no connection.
  controllers: [ConnectionPagesController, ConnectionRequestsController, ConnectionsController, ProvidersController],
  providers: [AttemptStore, Connecting],
  exports: [Connecting],
})
export class AccountsModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #stores: Stores;
  #resealing: Rounds | null = null;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  onApplicationBootstrap(): void {
    const { database, sealer, settings, log } = this.#stores;
    const firstKey = settings.SEALING_KEYS[0]?.id ?? '';
    const reseal = async (): Promise<void> => {
      const resealed = await resealAccounts({ database, sealer, firstKey });
      if (resealed > 0)
        log.info({ event: 'accounts-resealed', resealed }, 'tokens and secrets of accounts are sealed with the first key now');
    };
    this.#resealing = startSweep('tokens of accounts', reseal, log);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#resealing?.stop();
  }
}
