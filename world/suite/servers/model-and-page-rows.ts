import { z } from 'zod';
import { inputRequest } from '#lib/contracts';
import { must } from '#lib/testing';
import type { Row } from '../row.js';
import { register } from './registered.js';
import { commandOf } from './stdio.js';

const everything = { name: 'everything-model', package: '@modelcontextprotocol/server-everything' };
const map = { name: 'map', package: '@modelcontextprotocol/server-map', args: ['--stdio'] };
const resting = z.looseObject({ job_id: z.string(), rest: z.looseObject({ reason: z.literal('question'), input_request: z.string() }) });
const definitions = z.looseObject({
  result: z.looseObject({
    tools: z.array(
      z.looseObject({ name: z.string(), _meta: z.looseObject({ ui: z.looseObject({ resourceUri: z.string() }).optional() }) }),
    ),
  }),
});
const page = z.looseObject({
  result: z.looseObject({
    contents: z.tuple([
      z.looseObject({ mimeType: z.string(), text: z.string(), _meta: z.looseObject({ ui: z.looseObject({ csp: z.looseObject({}) }) }) }),
    ]),
  }),
});

/** What servers want of the client behind a call: its model, and a frame for a page. */
export const modelAndPageRows: readonly Row[] = [
  {
    group: 'servers',
    name: 'everything asks a model',
    source: everything.package,
    holds: 'its question to the model of a client reaches the caller, and the answer reaches it',
    short: true,
    commands: { [everything.name]: commandOf(everything) },
    attempt: async (place) => {
      const { served } = await register(place, {
        name: everything.name,
        stdio: everything.name,
        may_ask: ['sampling'],
        timeout_ms: 60_000,
      });
      const asking = served.find(({ tool }) => tool === 'trigger-sampling-request')?.name ?? '';
      const begun = await place.user.post(`/tools/${asking}`, { prompt: 'a word about the sea', maxTokens: 10 });
      const { job_id: jobId, rest } = begun.as(resting);
      const at = `/input-requests/${rest.input_request}`;
      const { request } = (await place.user.get(at)).as(inputRequest);
      must(JSON.stringify(request?.params).includes('about the sea'), `the question has not what is asked: ${JSON.stringify(request)}`);
      const answered = await place.user.post(at, { action: 'accept', content: { text: 'waves' } });
      must(answered.status === 200, `the answer was refused: ${answered.text}`);
      const { text } = await place.user.get(`/jobs/${jobId}?wait=30`);
      must(text.includes('waves'), `the server did not get the answer: ${text.slice(0, 400)}`);
      return 'asked, answered and told';
    },
  },
  {
    group: 'servers',
    name: 'pages of map',
    source: map.package,
    holds: 'its tool names a page that can be read at /mcp, and the page gets the hosts that were allowed and no others',
    short: true,
    commands: { [map.name]: commandOf(map) },
    attempt: async (place) => {
      const domains = ['https://*.openstreetmap.org'];
      await register(place, { name: map.name, stdio: map.name, apps: { domains }, timeout_ms: 60_000 });
      const send = async (method: string, params: object) =>
        place.user.post(`/mcp?tools=${map.name}__*`, { jsonrpc: '2.0', id: 1, method, params }, { accept: 'application/json' });
      const { tools } = (await send('tools/list', {})).as(definitions).result;
      const uri = tools.find(({ _meta }) => _meta.ui)?._meta.ui?.resourceUri ?? '';
      must(uri.startsWith(`ui://${map.name}/`), `no tool names a page: ${JSON.stringify(tools).slice(0, 400)}`);
      const [read] = (await send('resources/read', { uri })).as(page).result.contents;
      must(read.mimeType === 'text/html;profile=mcp-app' && read.text.includes('<'), `it is no page: ${read.mimeType}`);
      const hosts = JSON.stringify(read._meta.ui.csp);
      must(hosts.includes('openstreetmap.org') && !hosts.includes('cesium.com'), `it gets ${hosts}`);
      return `a page of ${read.text.length} characters, with ${hosts}`;
    },
  },
];
