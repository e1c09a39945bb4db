import { Module } from '@nestjs/common';
import { Infrastructure } from '../infrastructure/infrastructure.js';
import { ServedDirectory } from './served-directory.js';
import { ServedToolsController } from './served-tools.controller.js';
import { ServedTools } from './served-tools.js';

/** Tools that tenants serve from workers of their own. */
@Module({
  controllers: [ServedToolsController],
  providers: [
    {
      provide: ServedTools,
      inject: [Infrastructure],
      useFactory: ({ servedTools }: Infrastructure) => servedTools,
    },
    {
      provide: ServedDirectory,
      inject: [Infrastructure],
      useFactory: ({ servedDirectory }: Infrastructure) => servedDirectory,
    },
  ],
})
export class ServingModule {}
