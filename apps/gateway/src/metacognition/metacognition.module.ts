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
      useFactory: async ({ settings, redis, keys, log }: Stores) =>
        new ReviewCache({ checker: await checkerFor(settings), redis, keys, log }),
    },
  ],
  exports: [ReviewCache],
})
export class MetacognitionModule {}
