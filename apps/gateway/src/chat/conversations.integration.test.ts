import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { principal, type Caller } from '#lib/contracts';
import { ConversationStore } from '#lib/conversations';
import { createDatabase } from '#lib/platform';
import { givenStores } from '#lib/testing';
import { Conversations } from './conversations.js';

const database = createDatabase({
  url: givenStores().databaseUrl,
  poolSize: 1,
  name: 'conversations-test',
  statementTimeoutMs: 10_000,
  prepared: true,
});
afterAll(() => database.$disconnect());

test('the title is the beginning of the first message, and whole characters', async () => {
  const caller: Caller = { tenantId: `t-${randomUUID()}`, userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' };
  const key = { tenantId: caller.tenantId, owner: principal(caller), conversationId: randomUUID(), jobId: 'inv_agent_1' };
  await new ConversationStore(database).begin(key, `${'a'.repeat(79)}😀`, false);
  const { conversations } = JSON.parse(JSON.stringify(await new Conversations(database).list(caller)));
  expect(conversations).toEqual([expect.objectContaining({ conversation_id: key.conversationId, title: `${'a'.repeat(79)}\ufffd` })]);
});
