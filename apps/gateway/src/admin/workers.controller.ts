import { Controller, Get } from '@nestjs/common';
import type { WorkerList } from '#lib/contracts';
import { Route } from '../http/route.js';
import { QueueStates } from './queue-states.js';

@Controller('admin/workers')
export class WorkersController {
  readonly #queues: QueueStates;

  constructor(queues: QueueStates) {
    this.#queues = queues;
  }

  @Route({
    access: 'admin',
    docs: {
      id: 'listWorkers',
      summary: 'The worker processes that were heard of in the last 15 seconds; administrators only',
      tag: 'operations',
    },
  })
  @Get()
  async list(): Promise<WorkerList> {
    return { workers: await this.#queues.workers() };
  }
}
