// Addresses that calls give to somebody outside: they are the credential, and hold once.
import { z } from 'zod';
import { hookToken } from '#lib/contracts';
import { must } from '#lib/testing';
import { casesIn } from '../case.js';
import { mustNotHold, refused } from '../expect.js';
import { servedTool } from '../world/served-tools.js';

const hooksOf = z.looseObject({ attempt: z.string(), effect_key: z.string(), hooks: z.object({ url: z.string(), key: z.string() }) });

export const hookCases = casesIn('API1', {
  'A hook is called by its signed address alone, and once': [
    'S59',
    async (world) => {
      const { nobody, stranger, victim } = world;
      const { name, worker } = await servedTool(world, { effect: 'write' });
      const started = await victim.send(`POST /tools/${name}`, { json: {}, headers: { prefer: 'respond-async' } });
      must(started.status === 202, `the call was answered with ${started.status}`);
      const frame = hooksOf.parse(await worker.nextAttempt());
      const { hooks, effect_key: jobId } = frame;
      await worker.send([{ type: 'rest', attempt: frame.attempt, waits: [{ name: 'paid', reason: 'event', delay_ms: 60_000 }] }]);
      const token = hookToken(hooks.key, { jobId, name: 'paid' });
      const [said = '', signature = ''] = token.split('.');
      const of = (other: string, by: string) => `${Buffer.from(JSON.stringify([other, by])).toString('base64url')}.${signature}`;
      const forged = [
        said,
        `${said}.`,
        `${said}.AAAA`,
        `${said}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
        of(jobId, 'other'),
        of(`${jobId}x`, 'paid'),
        hookToken(hooks.key, { jobId: `${jobId}x`, name: 'paid' }),
        hookToken('', { jobId, name: 'paid' }),
      ];
      for (const one of forged)
        for (const client of [nobody, stranger]) refused(await client.send(`POST /hooks/${one}`, { json: { paid: true } }), 404);
      must((await nobody.send(`POST /hooks/${token}`, { json: { paid: true } })).status === 202, 'the address itself was refused');
      refused(await nobody.send(`POST /hooks/${token}`, { json: { paid: false } }), 410);
      const next = await worker.nextAttempt();
      mustNotHold(JSON.stringify(next['earlier_steps']), 'false', 'the body of the second call');
      await worker.send([{ type: 'done', attempt: next.attempt, data: { said: 'x' } }]);
      worker.cut();
    },
  ],
});
