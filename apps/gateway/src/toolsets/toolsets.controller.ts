import { Controller, Delete, Get, HttpCode, Param, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  newToolset,
  offeredBySet,
  parseOrRefuse,
  principal,
  promisedTokens,
  Refusal,
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
import { callerOf } from '../callers/authentication.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { queryOf } from '../http/query.js';
import { readBody } from '../http/read-body.js';
import { Route, type RouteParameter } from '../http/route.js';
import { stored } from '../http/stored.js';
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
  readonly #store: ToolsetStore;
  readonly #directory: ToolsetDirectory;
  readonly #tools: ToolDirectory;

  constructor(store: ToolsetStore, directory: ToolsetDirectory, tools: ToolDirectory) {
    this.#store = store;
    this.#directory = directory;
    this.#tools = tools;
  }

  @Route({ access: 'tenant:admin', points: 5, docs: { id: 'listToolsets', summary: 'The sets of tools of your tenant', tag: 'toolsets' } })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ToolsetList> {
    const { tenantId } = callerOf(request);
    const rows = await stored(unreachable, () => this.#store.ofTenants([tenantId]));
    return { toolsets: rows.map((row) => this.#shown(row)) };
  }

  @Route({ access: 'tenant:admin', docs: { id: 'getToolset', summary: 'One set of tools', tag: 'toolsets', parameters: [named] } })
  @Get(':name')
  async one(@Req() request: FastifyRequest, @Param('name') name: string): Promise<ToolsetItem> {
    return this.#shown(await this.#find(callerOf(request).tenantId, name));
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
    const of = { tenantId: caller.tenantId, name: parseOrRefuse(z.object({ name: toolsetName }), { name: given }).name };
    const body = readBody(request, newToolset);
    requireSound(setOf(body), this.#ofTenant(of.tenantId).catalog.all);
    const isNew = await stored(unreachable, () => this.#store.put(principal(caller), of, body));
    await this.#directory.changed();
    request.facts.made = of.name;
    void reply.status(isNew ? 201 : 200).header('location', `/toolsets/${of.name}`);
    return this.#shown(await this.#find(of.tenantId, of.name));
  }

  @Route({ access: 'tenant:admin', docs: { id: 'deleteToolset', summary: 'Delete a set of tools', tag: 'toolsets', parameters: [named] } })
  @Delete(':name')
  @HttpCode(200)
  async remove(@Req() request: FastifyRequest, @Param('name') name: string): Promise<ToolsetItem> {
    const caller = callerOf(request);
    const row = await this.#find(caller.tenantId, name);
    const shown = this.#shown(row);
    if (!(await stored(unreachable, () => this.#store.remove(principal(caller), row)))) throw unknown(name);
    await this.#directory.changed();
    return shown;
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
    return this.#previewOf(request, readyToolset(await this.#find(callerOf(request).tenantId, name)).set);
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
    return this.#tools.of({ tenantId });
  }

  async #find(tenantId: string, name: string): Promise<ToolsetRow> {
    const row = toolsetName.safeParse(name).success ? await stored(unreachable, () => this.#store.find(tenantId, name)) : null;
    if (row) return row;
    throw unknown(name);
  }
}

function setOf({ tools, rename = {}, prefix = '', read_only: readOnly = false }: NewToolset): Toolset {
  return { tools, rename, prefix, readOnly };
}

function unknown(name: string): Refusal {
  return new Refusal('RESOURCE_NOT_FOUND', `There is no set '${name.slice(0, 64)}'; see GET /toolsets`);
}
