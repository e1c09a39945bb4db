// Sums say who called what, with which model and in which conversation: to the caller itself, and to its own administrators.
import { z } from 'zod';
import { eventually, must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, mustNotHold, refused, served } from '../expect.js';
import type { Client } from '../world/client.js';

const sums = z.looseObject({ sums: z.array(z.looseObject({ conversation_id: z.string().nullable(), calls: z.number() })) });

export const costCases = casesIn('API1', {
  'What a conversation costs is told to its owner and to its own administrators': [
    'S13, S14',
    async ({ victim, neighbour, stranger, tenantAdmin, strangerAdmin, objects }) => {
      const query = `/usage/calls?by=conversation,model,tool&conversation=${objects.conversationId}`;
      const rowsOf = async (client: Client, more = '') => as(served(await client.send(`GET ${query}${more}`)), sums).sums;
      await eventually(async () => (await rowsOf(victim)).length > 0, { withinMs: 30_000, what: "the sums of the victim's conversation" });
      must((await rowsOf(tenantAdmin, '&scope=tenant')).length > 0, 'its administrator sees no sum of the conversation');
      for (const [client, more] of [
        [neighbour, ''],
        [stranger, ''],
        [strangerAdmin, '&scope=tenant'],
      ] as const)
        must((await rowsOf(client, more)).length === 0, `somebody else sees sums of the conversation${more}`);
      for (const client of [neighbour, stranger]) refused(await client.send(`GET ${query}&scope=tenant`), 403, 'PERMISSION_DENIED');
      refused(await strangerAdmin.send(`GET ${query}&scope=all`), [400, 403]);
      const all = served(await strangerAdmin.send('GET /usage/calls?scope=tenant&by=conversation'));
      mustNotHold(all.text, objects.conversationId, 'the sums of another tenant');
    },
  ],
});
