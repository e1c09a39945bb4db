// Files of tools of tenants: they come from the worker that has the attempt, and nobody has a file of another given to them anew.
import { z } from 'zod';
import { defineTool, keptFile, servedDomainName, toServedTool } from '#lib/contracts';
import { must, RawWorker } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, mustNotHold, refused, served } from '../expect.js';
import type { World } from '../world/world.js';

const envelope = z.looseObject({ data: z.looseObject({ file: keptFile }) });
const taken = z.looseObject({ file: z.unknown() });
const serves = { userId: null, scopes: ['tools:serve'], approvesTools: true };
let used = 0;

const example = {
  file_id: 'file_2Q8mTnXo1cVb5RkJ0wHs9LpE',
  filename: 'a.txt',
  content_type: 'text/plain',
  size_bytes: 3,
  url: 'https://tools.example.com/files/file_2Q8mTnXo1cVb5RkJ0wHs9LpE',
  expires_at: '2026-11-24T16:00:00.000Z',
};

const contractOf = (name: string, tenant: string) =>
  defineTool({
    name,
    version: '1.0.0',
    title: 'File',
    description: 'Give a file of a worker of the tenant.',
    domain: servedDomainName({ tenant, domain: 'sales' }),
    effect: 'write',
    input: z.strictObject({}),
    output: z.strictObject({ file: keptFile }),
    errors: {},
    timeoutMs: 20_000,
    estimatedTokens: 20,
    examples: [{ input: {}, output: { file: example } }],
  });

/** A worker of the stranger's tenant, a call of the stranger that it has begun, and its key. */
async function begun({ system, strangerTenant, newClient }: World) {
  const name = `filed_${process.pid}_${++used}`;
  const key = await strangerTenant.key(serves);
  const tools = [toServedTool(contractOf(name, strangerTenant.id))];
  const worker = await RawWorker.connect({ url: system.gateway.url, key, tools, concurrency: 1 });
  const client = await newClient({ tenant: strangerTenant });
  const answer = client.send(`POST /tools/${name}`, { json: {}, allows: [500] });
  const { attempt } = await worker.nextAttempt();
  return { worker, client, answer, attempt };
}

const piece = (attempt: string, text: string) => ({
  type: 'file',
  attempt,
  number: 1,
  name: 'a.txt',
  content_type: 'text/plain',
  offset: 0,
  data: Buffer.from(text).toString('base64'),
  last: true,
});

export const fileCases = casesIn('API1', {
  'A file of an attempt is taken from no other key, of this tenant or another': [
    'S13, S14',
    async (world) => {
      const { worker, answer, attempt, client } = await begun(world);
      for (const key of [await world.system.tenant.key(serves), await world.strangerTenant.key(serves)])
        for (const gateway of world.system.gateways) {
          const sent = await worker.send([piece(attempt, 'forged')], { key, url: gateway.url });
          must([404, 202].includes(sent.status), `a foreign key was answered ${sent.status}`);
        }
      await worker.send([piece(attempt, 'own')]);
      const { file } = taken.parse(await worker.next('file'));
      await worker.send([{ type: 'done', attempt, data: { file } }]);
      const { url } = as(served(await answer), envelope).data.file;
      const { pathname, search } = new URL(url);
      must(served(await client.send(`GET ${pathname}${search}`)).text === 'own', 'the file is another one');
      worker.cut();
    },
  ],
  'An answer of a worker opens no file of another tenant, whose link it has': [
    'S13, confused deputy',
    async (world) => {
      const { filePath, fileId } = world.objects;
      for (const path of [filePath, filePath.replace(/expires=\d+/, 'expires=9999999999')]) {
        const { worker, answer, attempt } = await begun(world);
        const url = new URL(path, world.system.gateway.url).href;
        await worker.send([{ type: 'done', attempt, data: { file: { ...example, file_id: fileId, url } } }]);
        const { status, text } = await answer;
        mustNotHold(text, 'content_base64', 'the answer that names the file of another');
        // A link that is no link of ours is a text like any other.
        if (path === filePath) must(status === 500, `the link of another was given anew: ${status}`);
        else refused(await world.nobody.send(`GET ${path}`), 403);
        worker.cut();
      }
    },
  ],
});
