import { Controller, Delete, Get, HttpCode, Param, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  newToolset,
  offeredBySet,
  parseOrRefuse,
  promisedTokens,
  toJsonSchema,
  tokensOf,
  toolForms,
  toolsetName,
  type NewToolset,
  type Toolset,
  type ToolsetItem,
  type ToolsetList,
  type ToolsetPreview,
} from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { queryOf } from '../http/query.js';
import { NamedRows } from '../http/named-rows.js';
import { readBody } from '../http/read-body.js';
import { Route, type RouteParameter } from '../http/route.js';
import { readyToolset, ToolsetDirectory } from '../rules/toolset-directory.js';
import { ToolsetStore, type ToolsetRow } from '../rules/toolset-store.js';
import { requireSound } from './set-faults.js';

const maxToolsetBytes = 131_072;
const unreachable = 'Sets of tools cannot be reached at the moment';
const named: RouteParameter = ['path', 'name', 'Name of the set.'];
const format: RouteParameter = ['query', 'format', 'mcp (default), native, openai or anthropic: what the agent reads.'];
const formAsked = z.object({ format: z.enum(['mcp', 'native', 'openai', 'anthropic']).default('mcp') });

/** Named sets of tools of a tenant. */
@Controller('toolsets')
export class ToolsetsController {
  readonly #rows: NamedRows<ToolsetRow, NewToolset>;

  constructor(
    store: ToolsetStore,
    directory: ToolsetDirectory,
    private readonly tools: ToolDirectory,
  ) {
    this.#rows = new NamedRows({ store, directory, name: toolsetName, what: 'set', path: '/toolsets', unreachable });
  }

  @Route({ access: 'tenant:admin', points: 5, docs: { id: 'listToolsets', summary: 'The sets of tools of your tenant', tag: 'toolsets' } })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ToolsetList> {
    const rows = await this.#rows.all(callerOf(request));
    return { toolsets: rows.map((row) => this.#shown(row)) };
  }

  @Route({ access: 'tenant:admin', docs: { id: 'getToolset', summary: 'One set of tools', tag: 'toolsets', parameters: [named] } })
  @Get(':name')
  async one(@Req() request: FastifyRequest, @Param('name') name: string): Promise<ToolsetItem> {
    return this.#shown(await this.#rows.one(callerOf(request), name));
  }

  @Route({
    access: 'tenant:admin',
    maxBodyBytes: maxToolsetBytes,
    points: 5,
    docs: {
      id: 'putToolset',
      summary: 'Make a set of tools, or put it in the place of another: what agents see and call that use it, and under which names',
      tag: 'toolsets',
      parameters: [named],
      body: toJsonSchema(newToolset, 'input'),
    },
  })
  @Put(':name')
  async put(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('name') given: string,
  ): Promise<ToolsetItem> {
    const caller = callerOf(request);
    const name = this.#rows.nameIn(given);
    const body = readBody(request, newToolset);
    requireSound(setOf(body), this.#ofTenant(caller.tenantId).catalog.all);
    return this.#shown(await this.#rows.put({ request, reply, caller, name }, body));
  }

  @Route({ access: 'tenant:admin', docs: { id: 'deleteToolset', summary: 'Delete a set of tools', tag: 'toolsets', parameters: [named] } })
  @Delete(':name')
  @HttpCode(200)
  async remove(@Req() request: FastifyRequest, @Param('name') name: string): Promise<ToolsetItem> {
    const caller = callerOf(request);
    const row = await this.#rows.own(caller, name);
    await this.#rows.remove(caller, row);
    return this.#shown(row);
  }

  @Route({
    access: 'tenant:admin',
    points: 10,
    docs: {
      id: 'previewToolset',
      summary: 'What an agent sees of a set, and how many tokens that takes',
      tag: 'toolsets',
      parameters: [named, format],
    },
  })
  @Get(':name/preview')
  async preview(@Req() request: FastifyRequest, @Param('name') name: string): Promise<ToolsetPreview> {
    return this.#previewOf(request, readyToolset(await this.#rows.one(callerOf(request), name)).set);
  }

  @Route({
    access: 'tenant:admin',
    maxBodyBytes: maxToolsetBytes,
    points: 10,
    docs: {
      id: 'previewNewToolset',
      summary: 'What an agent would see of a set that is not stored',
      tag: 'toolsets',
      parameters: [format],
      body: toJsonSchema(newToolset, 'input'),
    },
  })
  @Post('preview')
  @HttpCode(200)
  tryOne(@Req() request: FastifyRequest): ToolsetPreview {
    return this.#previewOf(request, setOf(readBody(request, newToolset)));
  }

  #previewOf(request: FastifyRequest, set: Toolset): ToolsetPreview {
    const { tenantId } = callerOf(request);
    const form = toolForms[parseOrRefuse(formAsked, queryOf(request)).format];
    const all = this.#ofTenant(tenantId);
    const tools = all.within(set).offered.map((contract) => {
      const definition = { ...form(contract) };
      return {
        name: contract.name,
        tool: contract.renames?.name ?? contract.name,
        effect: contract.effect,
        definition,
        tokens: tokensOf(definition),
        answer_tokens: promisedTokens(contract).typical,
      };
    });
    const problems = [...offeredBySet(set, all.catalog.all).faults];
    return { tools, tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0), problems };
  }

  #shown(row: ToolsetRow): ToolsetItem {
    const { set } = readyToolset(row);
    const all = this.#ofTenant(row.tenantId);
    return {
      name: row.name,
      tools: [...set.tools],
      rename: { ...set.rename },
      prefix: set.prefix,
      read_only: set.readOnly,
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
      offers: all.within(set).offered.length,
      problems: [...offeredBySet(set, all.catalog.all).faults],
    };
  }

  #ofTenant(tenantId: string): ToolDirectory {
    return this.tools.of({ tenantId });
  }
}

function setOf({ tools, rename = {}, prefix = '', read_only: readOnly = false }: NewToolset): Toolset {
  return { tools, rename, prefix, readOnly };
}
