import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { principal, type Caller } from '#lib/contracts';
import { ConversationStore } from '#lib/conversations';
import { createDatabase } from '#lib/platform';
import { givenStores } from '#lib/testing';
import { Conversations } from './conversations.js';

const pageOf = (page: object) =>
  z
    .looseObject({
      messages: z.array(z.unknown()),
      pagination: z.object({ has_more: z.boolean(), next_cursor: z.string().nullable() }),
    })
    .parse(page);

const database = createDatabase({
  url: givenStores().databaseUrl,
  poolSize: 1,
  name: 'conversations-test',
  statementTimeoutMs: 10_000,
  prepared: true,
});
const sealingKeys = [{ id: 'k1', key: Buffer.alloc(32, 1) }];
const conversations = new Conversations({ database, settings: { SEALING_KEYS: sealingKeys } });
afterAll(() => database.$disconnect());

test('the next page follows the cursor, which is of this list alone', async () => {
  const caller: Caller = { tenantId: `t-${randomUUID()}`, userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' };
  const key = { tenantId: caller.tenantId, owner: principal(caller), conversationId: randomUUID() };
  const store = new ConversationStore(database);
  for (const jobId of ['inv_agent_1', 'inv_agent_2', 'inv_agent_3']) {
    await store.begin({ ...key, jobId }, jobId, false);
    await store.end({ ...key, jobId }, { state: 'completed', content: 'A.', steps: [], usage: { input_tokens: 1, output_tokens: 1 } });
  }
  const read = async (cursor?: string) =>
    pageOf(await conversations.read(caller, key.conversationId, { limit: 2, ...(cursor && { cursor }) }));
  const first = await read();
  expect([first.messages.length, first.pagination.has_more]).toEqual([4, true]);
  const second = await read(first.pagination.next_cursor ?? '');
  expect([second.messages.length, second.pagination]).toEqual([2, { has_more: false, next_cursor: null }]);
  const elsewhere = conversations.list(caller, { limit: 2, cursor: first.pagination.next_cursor ?? '' });
  await expect(elsewhere).rejects.toMatchObject({ error: { family: 'INVALID_PARAMS', details: [{ path: 'cursor' }] } });
});

test('the title is the beginning of the first message, and whole characters', async () => {
  const caller: Caller = { tenantId: `t-${randomUUID()}`, userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' };
  const key = { tenantId: caller.tenantId, owner: principal(caller), conversationId: randomUUID(), jobId: 'inv_agent_1' };
  await new ConversationStore(database).begin(key, `${'a'.repeat(79)}😀`, false);
  const { conversations: listed } = JSON.parse(JSON.stringify(await conversations.list(caller, { limit: 10 })));
  expect(listed).toEqual([expect.objectContaining({ conversation_id: key.conversationId, title: `${'a'.repeat(79)}\ufffd` })]);
});
