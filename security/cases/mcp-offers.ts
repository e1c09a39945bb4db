import { eventually, must } from '#lib/testing';
import { casesIn } from '../case.js';
import { mustNotHold, refused, served } from '../expect.js';
import { describe } from '../world/answer.js';
import { known } from './api1-tenants.js';
import { mcp, mcpError } from './mcp.js';

const lists = ['resources/list', 'resources/templates/list', 'prompts/list'].map((method) => ({ method }));
const read = (uri: string) => ({ method: 'resources/read', params: { uri } });
const prompt = (name: string) => ({ method: 'prompts/get', params: { name } });
const complete = (ref: object) => ({ method: 'completion/complete', params: { ref, argument: { name: 'a', value: '' } } });
const notes = 'outside://victims/hostile://notes';
/** Servers of other cases, which are for all tenants, have the same things under names of their own. */
const ofVictim = /victims/;

export const mcpOfferCases = casesIn('MCP', {
  'What an outside server has is listed for its tenant alone': [
    'S66, S13',
    async (world) => {
      await known(world);
      const { victim, stranger, strangerAdmin } = world;
      for (const list of lists) {
        await eventually(async () => ofVictim.test((await mcp(victim, list)).text), {
          withinMs: 60_000,
          what: `${list.method} of its tenant`,
        });
        for (const client of [stranger, strangerAdmin]) mustNotHold(served(await mcp(client, list)).text, ofVictim, list.method);
      }
    },
  ],
  'It is read, asked and completed by its tenant alone, under whatever address': [
    'S66, S13',
    async (world) => {
      await known(world);
      const { victim, stranger, strangerAdmin, system } = world;
      const text = async () => (await mcp(victim, read(notes))).text.includes('hostile text of hostile://notes');
      await eventually(text, { withinMs: 60_000, what: 'its tenant to read it' });
      const addresses = [
        notes,
        'outside://victims/hostile://other',
        `outside://${system.tenant.id}/victims/hostile://notes`,
        `outside://${system.tenant.id}%2Fvictims/hostile://notes`,
        'outside://VICTIMS/hostile://notes',
        'outside://%76ictims/hostile://notes',
        'outside://user@victims/hostile://notes',
        'outside://victims:80/hostile://notes',
        'OUTSIDE://victims/hostile://notes',
        'hostile://notes',
      ];
      for (const client of [stranger, strangerAdmin]) {
        for (const uri of addresses) mustNotHold(mcpError(await mcp(client, read(uri))).text, 'hostile text', uri);
        for (const name of ['victims__say', `${system.tenant.id}/victims__say`, 'say'])
          mustNotHold(mcpError(await mcp(client, prompt(name))).text, 'hostile words', name);
        for (const ref of [
          { type: 'ref/prompt', name: 'victims__say' },
          { type: 'ref/resource', uri: 'outside://victims/hostile://{note}' },
        ])
          mustNotHold(mcpError(await mcp(client, complete(ref))).text, 'hostile value', JSON.stringify(ref));
      }
    },
  ],
  'A resource is listened for by its tenant alone, whatever session another one names': [
    'S66, S13',
    async (world) => {
      await known(world);
      const { victim, stranger, strangerAdmin } = world;
      const session = { 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': 'a-session' };
      const ask = async (client: typeof victim, uri: string) =>
        client.send('POST /mcp', {
          json: { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } },
          headers: { accept: 'application/json', ...session },
        });
      await eventually(async () => (await ask(victim, notes)).text.includes('"result":{}'), {
        withinMs: 60_000,
        what: 'its tenant to subscribe',
      });
      for (const client of [stranger, strangerAdmin])
        for (const uri of [notes, 'outside://victims/hostile://other']) mcpError(await ask(client, uri));
    },
  ],
  'An address that sees none of its tools reads nothing of it': [
    'S66, S11',
    async ({ victim }) => {
      for (const query of ['?tools=calc_metrics', '?domain=profile', '?set=of-nobody'])
        for (const message of [...lists, read(notes), prompt('victims__say')]) {
          const answer = await mcp(victim, { ...message, query });
          mustNotHold(answer.text, /hostile (text|words)|"uri":"outside:[^"]*","name"|"name":"victims__/, `${query} ${message.method}`);
          must(answer.status < 500, describe(answer));
        }
    },
  ],
  'The questions to outside servers are no tools': [
    'S81',
    async ({ victim, admin, system }) => {
      const server = { tenant: system.tenant.id, server: 'victims', approval: 1 };
      for (const [name, json] of Object.entries({
        list_outside_offers: { servers: [server] },
        ask_outside_server: { ...server, question: 'resource', of: 'hostile://notes' },
      }))
        for (const client of [victim, admin]) {
          refused(await client.send(`POST /tools/${name}`, { json }), 404);
          mcpError(await mcp(client, { method: 'tools/call', params: { name, arguments: json } }));
        }
    },
  ],
});
