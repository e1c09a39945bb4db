// One thing of every kind that belongs to the victim. Each holds the canary, so that whoever reads it is found out.
import { z } from 'zod';
import { eventually, type ModelServer, type System } from '#lib/testing';
import type { StripeSystem } from '../../test/e2e/stripe-system.js';
import { as, served } from '../expect.js';
import type { Answer } from './answer.js';
import type { Client } from './client.js';
import { servedTool } from './served-tools.js';

export interface Objects {
  /** A finished call of `user_profile_lookup`. */
  readonly jobId: string;
  readonly traceId: string;
  readonly eventId: string;
  /** Of the second page of the victim's jobs. */
  readonly cursor: string;
  /** Of a call that ran under this key. */
  readonly idempotencyKey: string;
  readonly conversationId: string;
  /** Path of a file with its signature. */
  readonly filePath: string;
  readonly fileId: string;
  readonly keyId: string;
  /** A schedule of the tenant's own key. */
  readonly scheduleId: string;
  /** A budget of the victim's tenant, which its calls do not reach. */
  readonly budgetName: string;
  /** A set of tools of the victim's tenant. */
  readonly toolsetName: string;
  /** A flow of the victim's tenant, of a tool that nobody calls. */
  readonly flowName: string;
  /** A pause of the victim's tenant, of a tool that nobody calls. */
  readonly pauseName: string;
  /** A policy of the victim's tenant, for which no call is one. */
  readonly policyName: string;
  /** A provider of the victim's tenant, and an account of the victim there. */
  readonly providerName: string;
  readonly connectionId: string;
  /** A batch of the victim. */
  readonly batchId: string;
  /** A webhook of the victim's tenant. Nobody is at its address. */
  readonly webhookId: string;
  /** What is asked about a call of the victim. */
  readonly inputId: string;
  readonly nodeId: string;
  readonly session: string;
  /** A registered outside server. */
  readonly serverName: string;
  readonly guestCookie: string;
  readonly guestConversationId: string;
  /** A link that Stripe gave for one use, and the job that made it. */
  readonly secretLink: string;
  readonly secretJobId: string;
}

interface Parts {
  readonly victim: Client;
  readonly nobody: Client;
  readonly admin: Client;
  readonly system: System;
  readonly model: ModelServer;
  readonly sql: StripeSystem['sql'];
  readonly canary: string;
  /** Starts an outside server. */
  readonly serverCommand: string;
}

const result = z.looseObject({
  data: z.looseObject({ url: z.string().optional(), file_id: z.string().optional() }),
  metadata: z.looseObject({ job_id: z.string(), trace_id: z.string() }),
});
const resting = z.looseObject({ rest: z.looseObject({ input_request: z.string() }) });
const session = 'working-session';

export async function layOut(parts: Parts): Promise<Objects> {
  const { victim, nobody, admin, system, model, sql, canary } = parts;
  await sql('UPDATE profile SET medical_conditions = ARRAY[$1] WHERE tenant_id = $2 AND user_id = $3', [
    canary,
    system.tenant.id,
    'user_001',
  ]);
  model.on(canary, { text: `You said ${canary}.` });
  // A guest is not the victim: what it says has a canary of its own.
  model.on('guest-canary', { text: 'You said guest-canary.' });
  await sql(
    "INSERT INTO pause (owner, name, tenant_id, tool, reason, refuse) VALUES ($1::text, 'victims', $1::text, 'nothing', $2, false)",
    [system.tenant.id, canary],
  );
  await sql(
    "INSERT INTO flow (owner, name, tenant_id, tool, key, concurrency) VALUES ($1::text, 'victims', $1::text, 'nothing', '''' || $2 || '''', 1)",
    [system.tenant.id, canary],
  );
  const idempotencyKey = 'the-same-key-for-everybody';
  const call = async (tool: string, json: object, headers = {}) =>
    as(served(await victim.send(`POST /tools/${tool}`, { json, headers })), result);

  const [profile, file, link, chat, guest, key, , node, schedule, budget, toolset, policy, hook, inputId, batch] = await Promise.all([
    call('user_profile_lookup', { user_id: 'user_001' }, { 'idempotency-key': idempotencyKey }),
    call('generate_report', { title: canary, content: `# ${canary}`, format: 'html' }),
    call('express_dashboard_login_link', { stripe_account_id: 'acct_ok' }),
    victim.send('POST /chat/v5/stream', { json: { message: canary } }),
    nobody.send('POST /chat/v5/guest/stream', { json: { message: 'guest-canary' } }),
    admin.send('POST /keys', { json: { tenant_id: system.tenant.id, user_id: 'user_001', tier: 'pro', scopes: ['tools:read'] } }),
    eventually(() => registered(parts), { withinMs: 120_000, what: 'the outside server' }),
    victim.send('POST /memotree/create_node', { json: { title: canary, content: canary }, headers: { 'x-session-id': session } }),
    admin.send('POST /schedules', {
      json: { name: 'victims', tool: 'create_node', arguments: { title: canary, content: canary }, cron: '0 3 1 1 *' },
    }),
    admin.send('PUT /budgets/victims', { json: { user: canary, period: 'day', limit_calls: 1_000_000 } }),
    admin.send('PUT /toolsets/victims', { json: { tools: ['calc_metrics'], rename: { calc_metrics: 'victims_metrics' } } }),
    admin.send('PUT /policies/victims', { json: { when: 'false', then: 'deny', message: canary } }),
    admin.send('POST /webhooks', { json: { url: 'https://hooks.example/', events: ['webhook.disabled'] } }),
    asked(parts),
    victim.send('POST /batches', { json: { calls: [{ id: canary, name: 'user_profile_lookup', arguments: { user_id: 'user_001' } }] } }),
  ]);
  served(await victim.send('POST /memotree/commit_changes', { json: { message: canary }, headers: { 'x-session-id': session } }));
  const jobId = profile.metadata.job_id;
  const page = as(await victim.send('GET /jobs?limit=1'), z.looseObject({ pagination: z.looseObject({ next_cursor: z.string() }) }));
  const events = served(await victim.send(`GET /jobs/${jobId}/events`)).text;
  const url = new URL(file.data.url ?? '');
  // Spans arrive a moment later.
  await eventually(async () => (await victim.send(`GET /traces/${profile.metadata.trace_id}`)).status === 200, { what: 'the trace' });
  return {
    jobId,
    traceId: profile.metadata.trace_id,
    eventId: /^id: ?(\S+)/m.exec(events)?.[1] ?? '',
    cursor: page.pagination.next_cursor,
    idempotencyKey,
    conversationId: conversationOf(chat),
    filePath: url.pathname + url.search,
    fileId: file.data.file_id ?? '',
    keyId: as(served(key), z.looseObject({ id: z.string() })).id,
    scheduleId: as(served(schedule), z.looseObject({ id: z.string() })).id,
    budgetName: as(served(budget), z.looseObject({ name: z.string() })).name,
    toolsetName: as(served(toolset), z.looseObject({ name: z.string() })).name,
    flowName: 'victims',
    pauseName: 'victims',
    policyName: as(served(policy), z.looseObject({ name: z.string() })).name,
    webhookId: as(served(hook), z.looseObject({ id: z.string() })).id,
    providerName: 'victims',
    connectionId: await connected(parts),
    inputId,
    batchId: as(served(batch), z.looseObject({ batch_id: z.string() })).batch_id,
    nodeId: as(served(node), z.looseObject({ data: z.looseObject({ nodeId: z.string() }) })).data.nodeId,
    session,
    serverName: 'victims',
    guestCookie: /invoq_guest=[^;]+/.exec(guest.headers.get('set-cookie') ?? '')?.[0] ?? '',
    guestConversationId: conversationOf(guest),
    secretLink: link.data.url ?? '',
    secretJobId: link.metadata.job_id,
  };
}

/** An account of the victim, by a key. */
async function connected({ admin, victim, canary }: Parts): Promise<string> {
  served(await admin.send('PUT /providers/victims', { json: { api_key: true } }));
  // Nobody puts one of this name for another tenant.
  served(await admin.send('PUT /providers/victims-own', { json: { api_key: true } }));
  const { url } = as(served(await victim.send('POST /connections', { json: { provider: 'victims' } })), z.looseObject({ url: z.string() }));
  served(await victim.send(`POST ${new URL(url).pathname}`, { json: { api_key: canary } }));
  const { connections } = as(
    served(await victim.send('GET /connections')),
    z.looseObject({ connections: z.array(z.looseObject({ id: z.string() })) }),
  );
  return connections[0]?.id ?? '';
}

/** A call of the victim that rests until somebody approves it. */
async function asked({ victim, system, canary }: Parts): Promise<string> {
  const { name, worker } = await servedTool({ system }, { approval: true });
  const { rest } = as(served(await victim.send(`POST /tools/${name}`, { json: { text: canary } })), resting);
  worker.cut();
  return rest.input_request;
}

/**
 * An outside server of the victim's tenant. In production a test has no address that may be asked, so it is a command of the operator, which
 * is given to the tenant afterwards. A busy machine may start it too slowly for the first time.
 */
async function registered({ admin, system, sql, serverCommand: stdio }: Parts): Promise<boolean> {
  const { status } = await admin.send('POST /mcp/servers', { json: { name: 'victims', stdio, tenants: '*' } });
  if (status === 201)
    await sql("UPDATE mcp_server SET tenant_id = $1::text, name = $1::text || '/victims' WHERE name = 'victims'", [system.tenant.id]);
  return status === 201;
}

function conversationOf(answer: Answer): string {
  return served(answer).headers.get('x-conversation-id') ?? '';
}
