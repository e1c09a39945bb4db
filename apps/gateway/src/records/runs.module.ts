import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Answers } from '../calls/answers.js';
import { CallsModule } from '../calls/calls.module.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { StreamsModule } from '../http/streams.module.js';
import { Stores } from '../stores.js';
import { JobPages } from './job-pages.js';
import { RunFeed } from './run-feed.js';
import { RunFeedController } from './run-feed.controller.js';
import { RunPages } from './run-pages.js';

@Module({
  imports: [CallsModule, StreamsModule],
  controllers: [RunFeedController],
  providers: [
    {
      provide: JobPages,
      inject: [Stores, Answers, ToolDirectory],
      useFactory: ({ store, partitions }: Stores, answers: Answers, tools: ToolDirectory) =>
        new JobPages({ store, partitions, answers, tools }),
    },
    {
      provide: RunPages,
      inject: [Stores],
      useFactory: ({ runs, store, settings }: Stores) => new RunPages({ index: runs, store, sealingKeys: settings.SEALING_KEYS }),
    },
    {
      provide: RunFeed,
      inject: [Stores],
      useFactory: ({ runs, subscriber, keys, log }: Stores) => new RunFeed({ index: runs, subscriber, channel: keys.runFeed(), log }),
    },
  ],
  exports: [JobPages, RunPages],
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
