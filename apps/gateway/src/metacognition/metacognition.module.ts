import { Module } from '@nestjs/common';
import { Stores } from '../stores.js';
import { checkerFor } from './checker-for.js';
import { ReviewCache } from './review-cache.js';

@Module({
  providers: [
    // What checks is loaded, if it is wanted at all.
    {
      provide: ReviewCache,
      inject: [Stores],
      useFactory: async (stores: Stores) => new ReviewCache(await checkerFor(stores.settings), stores),
    },
  ],
  exports: [ReviewCache],
})
export class MetacognitionModule {}
