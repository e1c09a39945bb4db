// What is swept while others write and sweep, on a Postgres that serves several clients at once; the embedded one serves them in turn.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ConversationStore } from '#lib/conversations';
import { createDatabase, type Database } from '#lib/platform';
import { startTimeoutMs } from '#lib/testing';
import { migrate } from '../../../scripts/provision/migrate.js';
import { startDebianPostgres } from '../debian-postgres.js';

const started = new AsyncDisposableStack();
const since = new Date('2026-01-01T00:00:00.000Z');
let database: Database;
let store: ConversationStore;

beforeAll(async () => {
  const url = started.use(await startDebianPostgres()).newDatabase('retention');
  await migrate(url);
  database = started.adopt(createDatabase({ url, poolSize: 8, name: 'retention-test' }), async (one) => one.$disconnect());
  store = new ConversationStore(database);
}, startTimeoutMs);
afterAll(async () => started.disposeAsync(), startTimeoutMs);

async function conversation(updatedAt: Date): Promise<string> {
  const id = randomUUID();
  await database.conversation.create({ data: { tenantId: 't', id, owner: 'o', updatedAt } });
  return id;
}
const isKept = async (id: string) => (await database.conversation.count({ where: { id } })) === 1;

test('a conversation that somebody writes to right now is passed over, and nobody waits', async () => {
  const [idle, written] = [await conversation(new Date(0)), await conversation(new Date(0))];
  await database.$transaction(async (transaction) => {
    await transaction.conversation.updateMany({ where: { id: written }, data: { updatedAt: new Date() } });
    expect(await store.removeIdle(since)).toBe(1);
  });
  expect(await store.removeIdle(since)).toBe(0);
  expect([await isKept(idle), await isKept(written)]).toEqual([false, true]);
});

test('a second sweep does nothing while one goes on', async () => {
  const idle = await conversation(new Date(0));
  await database.$transaction(async (transaction) => {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('conversation'))`;
    expect(await store.removeIdle(since)).toBe(0);
    expect(await isKept(idle)).toBe(true);
  });
  expect(await store.removeIdle(since)).toBe(1);
});

test('turns that begin while eight sweeps go on are all kept', async () => {
  const ids = await Promise.all(Array.from({ length: 300 }, async () => conversation(new Date(0))));
  const again = ids.filter((_, n) => n % 3 === 0);
  const turn = (conversationId: string) => ({ tenantId: 't', owner: 'o', conversationId, jobId: randomUUID() });
  const writing = again.map(async (id) => store.begin(turn(id), 'still here', false));
  await Promise.all([...writing, ...Array.from({ length: 8 }, async () => store.removeIdle(since))]);
  while ((await store.removeIdle(since)) > 0);
  expect(await Promise.all(writing)).not.toContain(false);
  expect(await database.chatTurn.count({ where: { message: 'still here' } })).toBe(100);
  expect(await database.conversation.count({ where: { id: { in: ids } } })).toBe(100);
});
