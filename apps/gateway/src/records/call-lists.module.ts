import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { FlowModule } from '../rules/flow/flow.module.js';
import { StreamsModule } from '../http/streams.module.js';
import { JobPages } from './job-pages.js';
import { CallFeed } from './call-feed.js';
import { CallFeedController } from './call-feed.controller.js';
import { CallPages } from './call-pages.js';

@Module({
  imports: [CallsModule, FlowModule, StreamsModule],
  controllers: [CallFeedController],
  providers: [JobPages, CallPages, CallFeed],
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
