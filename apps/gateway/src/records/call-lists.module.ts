import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Answers } from '../calls/answers.js';
import { CallsModule } from '../calls/calls.module.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { FlowModule } from '../flow/flow.module.js';
import { StreamsModule } from '../http/streams.module.js';
import { Stores } from '../stores.js';
import { JobPages } from './job-pages.js';
import { CallFeed } from './call-feed.js';
import { CallFeedController } from './call-feed.controller.js';
import { CallPages } from './call-pages.js';

@Module({
  imports: [CallsModule, FlowModule, StreamsModule],
  controllers: [CallFeedController],
  providers: [
    {
      provide: JobPages,
      inject: [Stores, Answers, ToolDirectory],
      useFactory: ({ store, partitions }: Stores, answers: Answers, tools: ToolDirectory) =>
        new JobPages({ store, partitions, answers, tools }),
    },
    CallPages,
    CallFeed,
  ],
  exports: [JobPages, CallPages],
})
export class CallListsModule implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #feed: CallFeed;

  constructor(feed: CallFeed) {
    this.#feed = feed;
  }

  onApplicationBootstrap(): void {
    this.#feed.start();
  }

  onApplicationShutdown(): void {
    this.#feed.stop();
  }
}
