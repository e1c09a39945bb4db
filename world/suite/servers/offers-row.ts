import { z } from 'zod';
import { must } from '#lib/testing';
import type { Place } from '../place.js';
import type { Row } from '../row.js';
import { register } from './registered.js';
import { commandOf } from './stdio.js';

const name = 'everything-offers';
const source = '@modelcontextprotocol/server-everything';
const answered = z.looseObject({ result: z.looseObject({}) });

async function ask({ user }: Place, method: string, params: object = {}): Promise<string> {
  const reply = await user.post('/mcp', { jsonrpc: '2.0', id: 1, method, params }, { accept: 'application/json' });
  must(answered.safeParse(reply.body).success, `${method} → ${reply.status} ${reply.text.slice(0, 400)}`);
  return reply.text;
}

/** A server that has everything besides tools. */
export const offersRow: Row = {
  group: 'servers',
  name: 'everything besides tools',
  source,
  holds: 'its resources, templates and prompts are listed at /mcp under its name, read, and completed',
  short: true,
  commands: { [name]: commandOf({ name, package: source }) },
  attempt: async (place) => {
    await register(place, { name, stdio: name, timeout_ms: 60_000 });
    const template = `outside://${name}/demo://resource/dynamic/text/{resourceId}`;
    const prompt = `${name}__completable-prompt`;
    const asked: readonly (readonly [method: string, params: object, holds: string])[] = [
      ['resources/list', {}, `outside://${name}/demo://resource/static/document/features.md`],
      ['resources/templates/list', {}, template],
      ['prompts/list', {}, prompt],
      ['resources/read', { uri: template.replace('{resourceId}', '7') }, 'Resource 7'],
      ['prompts/get', { name: `${name}__args-prompt`, arguments: { city: 'Ulm' } }, 'Ulm'],
      ['completion/complete', { ref: { type: 'ref/prompt', name: prompt }, argument: { name: 'department', value: 'E' } }, 'Engineering'],
    ];
    for (const [method, params, holds] of asked) {
      const text = await ask(place, method, params);
      must(text.includes(holds), `${method} does not hold ${holds}: ${text.slice(0, 400)}`);
    }
    return `${asked.length} methods answered`;
  },
};
