import { Controller, Delete, Get, HttpCode, Param, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  invalidField,
  newPolicy,
  policyName,
  policyTest,
  toJsonSchema,
  validateInput,
  type NewPolicy,
  type Policy,
  type PolicyList,
  type PolicyVerdict,
} from '#lib/contracts';
import { SharedClock } from '#lib/transport';
import { callerOf } from '../http/caller-of.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { NamedRows } from '../http/named-rows.js';
import { readBody } from '../http/read-body.js';
import { Route, type RouteParameter } from '../http/route.js';
import { lookedCall, policyCondition, policyFault } from '../rules/call-conditions.js';
import { PolicyDirectory } from '../rules/policy-directory.js';
import { PolicyStore, type PolicyRow } from '../rules/policy-store.js';
import { tryPolicies, type TriedRule } from '../rules/try-policies.js';

const maxPolicyBytes = 16_384;
/** Arguments of a tool. */
const maxTestBytes = 131_072;

const unreachable = 'Policies cannot be reached at the moment';
const named: RouteParameter = ['path', 'name', 'Name of the policy: policies are looked at in the order of their names.'];

/** Rules of a tenant for the calls of its callers. */
@Controller('policies')
export class PoliciesController {
  readonly #rows: NamedRows<PolicyRow, NewPolicy>;

  constructor(
    private readonly store: PolicyStore,
    private readonly directory: PolicyDirectory,
    private readonly tools: ToolDirectory,
    private readonly clock: SharedClock,
  ) {
    this.#rows = new NamedRows({ store, directory, name: policyName, what: 'policy', path: '/policies', unreachable });
  }

  @Route({
    access: 'tenant:admin',
    docs: { id: 'listPolicies', summary: 'The policies of your tenant, in the order in which they are looked at', tag: 'policies' },
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<PolicyList> {
    return { policies: (await this.#rows.all(callerOf(request))).map(shown) };
  }

  @Route({ access: 'tenant:admin', docs: { id: 'getPolicy', summary: 'One policy', tag: 'policies', parameters: [named] } })
  @Get(':name')
  async one(@Req() request: FastifyRequest, @Param('name') name: string): Promise<Policy> {
    return shown(await this.#rows.one(callerOf(request), name));
  }

  @Route({
    access: 'tenant:admin',
    maxBodyBytes: maxPolicyBytes,
    points: 10,
    docs: {
      id: 'putPolicy',
      summary: 'Make a policy, or put it in the place of another: calls for which its condition holds are denied, or wait for an approval',
      tag: 'policies',
      parameters: [named],
      body: toJsonSchema(newPolicy, 'input'),
    },
  })
  @Put(':name')
  async put(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('name') given: string,
  ): Promise<Policy> {
    const name = this.#rows.nameIn(given);
    const body = readBody(request, newPolicy);
    checkCondition('when', body.when);
    return shown(await this.#rows.put({ request, reply, caller: callerOf(request), name }, body));
  }

  @Route({
    access: 'tenant:admin',
    points: 10,
    docs: { id: 'deletePolicy', summary: 'Delete a policy', tag: 'policies', parameters: [named] },
  })
  @Delete(':name')
  @HttpCode(200)
  async remove(@Req() request: FastifyRequest, @Param('name') name: string): Promise<Policy> {
    const caller = callerOf(request);
    const row = await this.#rows.own(caller, name);
    await this.#rows.remove(caller, row);
    return shown(row);
  }

  @Route({
    access: 'tenant:admin',
    maxBodyBytes: maxTestBytes,
    points: 5,
    docs: {
      id: 'testPolicies',
      summary: 'What the policies of your tenant, or one that you give, say of a call that is not made',
      tag: 'policies',
      body: toJsonSchema(policyTest, 'input'),
    },
  })
  @Post('test')
  @HttpCode(200)
  async try(@Req() request: FastifyRequest): Promise<PolicyVerdict> {
    const caller = callerOf(request);
    const body = readBody(request, policyTest);
    const contract = this.tools.of(caller).resolve(body.tool);
    const input = validateInput(contract, body.arguments);
    const { user, tier, scopes, key } = body.caller ?? {};
    const who = {
      ...caller,
      ...(user !== undefined && { userId: user }),
      ...(tier !== undefined && { tier }),
      ...(scopes !== undefined && { scopes }),
      ...(key !== undefined && { credentialId: key }),
    };
    const at = body.at === undefined ? new Date(this.clock.now()) : new Date(body.at);
    const rules = this.#rules(caller.tenantId, body.policy);
    const spent = await this.store.spent.of(caller.tenantId, at.getTime());
    return tryPolicies(rules, { ...lookedCall(contract, input, { caller: who, now: at }), spent });
  }

  #rules(
    tenantId: string,
    given: { readonly when: string; readonly then: 'deny' | 'ask'; readonly message?: string | undefined } | undefined,
  ) {
    if (given)
      return [{ name: null, then: given.then, message: given.message ?? null, condition: checkCondition('policy.when', given.when) }];
    return this.directory.of(tenantId).map(({ row: { name, then, message }, condition }): TriedRule => ({
      name,
      then: then === 'ask' ? 'ask' : 'deny',
      message,
      condition,
    }));
  }
}

function shown({ name, when, then, message, expiresMs, self, createdAt, updatedAt }: PolicyRow): Policy {
  return {
    name,
    when,
    then: then === 'ask' ? 'ask' : 'deny',
    message,
    expires_ms: expiresMs === null ? null : Number(expiresMs),
    self,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    problem: problemIn(when),
  };
}

function problemIn(when: string): string | null {
  const fault = policyFault(when);
  return fault === null ? null : `when ${fault}`;
}

/** Throws INVALID_PARAMS. */
function checkCondition(path: string, when: string) {
  const fault = policyFault(when);
  if (fault !== null) throw invalidField(path, fault);
  return policyCondition(when);
}
