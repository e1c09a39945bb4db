// Commands that ask the client behind a call: one process of a stranger's, many callers.
import { z } from 'zod';
import { eventually, must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, mustNotHold, notFound, served } from '../expect.js';
import { askingForRoots, hostileTool } from '../world/hostile-server.js';
import { withTools } from './api10-upstreams.js';

const resting = z.looseObject({ job_id: z.string(), rest: z.looseObject({ reason: z.literal('question'), input_request: z.string() }) });

export const commandCases = casesIn('MCP', {
  'A command that keeps what it is told tells no caller the folders of another': [
    'S67, S13, S14',
    async (world) => {
      const tools = [hostileTool('look', 'Look something up.')];
      const { name, answer } = await withTools(world, tools, { look: askingForRoots() }, ['roots']);
      served(answer);
      const { victim, neighbour, stranger } = world;
      const tool = `POST /tools/${name}__look`;
      await eventually(async () => (await victim.send(`GET /tools/${name}__look`)).status === 200, { withinMs: 30_000, what: 'the tool' });
      const begun = [];
      for (const client of [victim, neighbour, stranger]) begun.push(as(served(await client.send(tool, { json: { word: 'a' } })), resting));
      const [ofVictim, ofNeighbour, ofStranger] = begun;
      const says = async (client: typeof victim, id: string | undefined, folder: string) =>
        client.send(`POST /input-requests/${id}`, { json: { action: 'accept', content: { roots: `file:///home/${folder}` } } });
      notFound(await says(neighbour, ofVictim?.rest.input_request, 'neighbour'));
      notFound(await says(stranger, ofVictim?.rest.input_request, 'stranger'));
      const ended = async (client: typeof victim, call: typeof ofVictim, folder: string) => {
        served(await says(client, call?.rest.input_request, folder));
        return served(await client.send(`GET /jobs/${call?.job_id}?wait=30`)).text;
      };
      const own = await ended(victim, ofVictim, 'of-the-victim-alone');
      must(own.includes('of-the-victim-alone'), `the call of the victim ended with ${own.slice(0, 300)}`);
      for (const [client, call, folder] of [
        [neighbour, ofNeighbour, 'neighbour'],
        [stranger, ofStranger, 'stranger'],
      ] as const) {
        const text = await ended(client, call, folder);
        must(text.includes(`file:///home/${folder}`), `the call of the ${folder} ended with ${text.slice(0, 300)}`);
        mustNotHold(text, 'of-the-victim-alone', `the call of the ${folder}`);
      }
    },
  ],
});
