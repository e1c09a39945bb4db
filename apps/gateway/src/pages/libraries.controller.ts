import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { CollectionList, WorkspaceList } from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { Route } from '../http/route.js';
import { Libraries } from './libraries.js';

/** What a caller can search and remember in: what pages list before somebody calls a tool. */
@Controller()
export class LibrariesController {
  constructor(private readonly libraries: Libraries) {}

  @Route({
    access: 'tools:read',
    docs: { id: 'listCollections', summary: 'The collections that searches of the caller reach, with their sizes', tag: 'discovery' },
  })
  @Get('knowledge/collections')
  async collections(@Req() request: FastifyRequest): Promise<CollectionList> {
    return { collections: await this.libraries.collections(callerOf(request)) };
  }

  @Route({
    access: 'tools:read',
    docs: { id: 'listWorkspaces', summary: 'The MemoTree workspaces that the caller may open; at most 1,000', tag: 'discovery' },
  })
  @Get('memotree/workspaces')
  async workspaces(@Req() request: FastifyRequest): Promise<WorkspaceList> {
    return { workspaces: await this.libraries.workspaces(callerOf(request)) };
  }
}
