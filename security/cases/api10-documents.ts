// OpenAPI documents are texts of strangers: whoever registers one says where its service is and what is secret, and the document does not.
import { must } from '#lib/testing';
import { casesIn } from '../case.js';
import { mustNotHold, refused, served } from '../expect.js';
import type { World } from '../world/world.js';

const secret = 'partner-secret-of-a-registration';
const service = 'https://tools.example';
let names = 0;

interface Described {
  readonly servers?: readonly object[];
  readonly parameters?: readonly object[];
}

function document({ servers = [{ url: service }], parameters = [] }: Described = {}): object {
  return { openapi: '3.1.0', info: { title: 'T', version: '1' }, servers, paths: { '/a': { get: { operationId: 'a', parameters } } } };
}

async function register({ tenantAdmin }: World, wish: object) {
  const name = `described${++names}`;
  return { name, answer: await tenantAdmin.send('POST /mcp/servers', { json: { name, kind: 'openapi', ...wish } }) };
}

export const documentCases = casesIn('API10', {
  'What is secret in a registration goes nowhere that a document alone names': [
    'S61, S66',
    async (world) => {
      const wishes = [{ headers: { authorization: `Bearer ${secret}` } }, { credentials: { key: secret } }];
      for (const wish of wishes) {
        refused((await register(world, { document: document(), ...wish })).answer, [400, 403]);
        const elsewhere = document({ servers: [{ url: 'https://evil.example' }] });
        const { name, answer } = await register(world, { document: elsewhere, base_url: service, ...wish });
        served(answer);
        mustNotHold(
          served(await world.tenantAdmin.send(`GET /mcp/servers/${name}`)).text,
          /evil\.example|partner-secret/,
          'the registration',
        );
      }
    },
  ],
  'A document makes no parameter of what the connection or the credential is': [
    'S66',
    async (world) => {
      const header = (name: string) => ({ name, in: 'header', schema: { type: 'string' } });
      const names = ['Authorization', 'Host', 'Cookie', 'Content-Length', 'Transfer-Encoding', 'Connection'];
      const parameters = [...names.map(header), header('X-Plain')];
      const { name, answer } = await register(world, { document: document({ parameters }), base_url: service });
      served(answer);
      const { text } = served(await world.tenantAdmin.send(`GET /mcp/servers/${name}`));
      must(text.includes('X-Plain'), 'its own header is no parameter');
      for (const one of names) mustNotHold(text, new RegExp(`"${one}":\\{`, 'i'), 'what is asked of a caller');
    },
  ],
});
