import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { StreamsModule } from '../http/streams.module.js';
import { Infrastructure } from '../infrastructure/infrastructure.js';
import { RunFeed } from './run-feed.js';
import { RunFeedController } from './run-feed.controller.js';
import { RunPages } from './run-pages.js';

@Module({
  imports: [StreamsModule],
  controllers: [RunFeedController],
  providers: [
    {
      provide: RunPages,
      inject: [Infrastructure],
      useFactory: ({ runs, store, settings }: Infrastructure) => new RunPages({ index: runs, store, sealingKeys: settings.SEALING_KEYS }),
    },
    {
      provide: RunFeed,
      inject: [Infrastructure],
      useFactory: ({ runs, subscriber, keys, log }: Infrastructure) =>
        new RunFeed({ index: runs, subscriber, channel: keys.runFeed(), log }),
    },
  ],
  exports: [RunPages],
})
export class RunsModule implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #feed: RunFeed;

  constructor(feed: RunFeed) {
    this.#feed = feed;
  }

  onApplicationBootstrap(): void {
    this.#feed.start();
  }

  onApplicationShutdown(): void {
    this.#feed.stop();
  }
}
