import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Refusal } from '#lib/contracts';
import { readBody } from '../http/read-body.js';
import { Route } from '../http/route.js';
import { Hooks } from './hooks.js';

/** Of a body: all of a step's megabyte, and what is around it. */
const maxBodyBytes = 1_100_000;

/** What calls wait for from outside. The address is the credential: it is signed, and holds once. */
@Controller('hooks')
export class HooksController {
  constructor(private readonly hooks: Hooks) {}

  @Route({
    access: 'link',
    maxBodyBytes,
    docs: {
      id: 'callHook',
      summary: 'Go on with a call that waits for this: the body is what its tool gets',
      tag: 'jobs',
      parameters: [['path', 'token', 'From the address that the tool has given.']],
      body: {},
      status: 202,
    },
  })
  @Post(':token')
  @HttpCode(202)
  async call(@Req() request: FastifyRequest, @Param('token') token: string): Promise<{ readonly accepted: true }> {
    const hook = this.hooks.find(token);
    // Before the body is looked at: who has no address of ours learns nothing.
    if (!hook) throw new Refusal('RESOURCE_NOT_FOUND', 'There is no such address');
    const data = request.body === undefined ? null : readBody(request, z.json());
    if (!(await this.hooks.answer(hook, data))) throw new Refusal('EXPIRED', 'This address was used, or nobody waits for it any more');
    return { accepted: true };
  }
}
