import { Module } from '@nestjs/common';
import { Infrastructure } from '../infrastructure/infrastructure.js';
import { checkerFor } from './checker-for.js';
import { ReviewCache } from './review-cache.js';

@Module({
  providers: [
    {
      provide: ReviewCache,
      inject: [Infrastructure],
      useFactory: async ({ settings, redis, keys, log }: Infrastructure) =>
        new ReviewCache({ checker: await checkerFor(settings), redis, keys, log }),
    },
  ],
  exports: [ReviewCache],
})
export class MetacognitionModule {}
