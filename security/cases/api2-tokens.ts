import { casesIn, type Attack } from '../case.js';
import { mustNotHold, refused, served } from '../expect.js';
import { claimsOf, forgedToken } from '../world/credentials.js';
import type { World } from '../world/world.js';

const second = (): number => Math.floor(Date.now() / 1_000);

/** Whoever brings this token is nobody. */
function refuses(tokens: (world: World) => Promise<readonly string[]> | readonly string[]): Attack {
  return async (world) => {
    for (const token of await tokens(world)) {
      const answer = refused(await world.nobody.with({ authorization: `Bearer ${token}` }).send('GET /jobs'), 401);
      mustNotHold(answer.text, token.slice(-20), 'the refusal');
    }
  };
}

const signed = (world: World, rest: object): Promise<string> => world.issuer.sign(claimsOf(world, rest));

export const tokenCases = casesIn('API2', {
  'A token of the issuer is taken': [
    'S07',
    async (world) => void served(await world.nobody.with({ authorization: `Bearer ${await signed(world, {})}` }).send('GET /jobs')),
  ],
  'A token without a signature is none': [
    'S07',
    refuses((world) => ['none', 'None', 'NONE', ''].map((alg) => forgedToken({ alg, typ: 'JWT' }, claimsOf(world)))),
  ],
  'A token signed with the public key as a secret is none': [
    'S07',
    refuses((world) => ['HS256', 'HS384', 'HS512'].map((alg) => forgedToken({ alg, kid: 'k1' }, claimsOf(world), world.issuer.publicKey))),
  ],
  'A token cannot name the key that checks it': [
    'S07',
    refuses((world) => {
      const jwk = { kty: 'oct', k: Buffer.from('x'.repeat(32)).toString('base64url') };
      const headers = [{ jku: 'https://evil.example/jwks.json' }, { x5u: 'https://evil.example/cert.pem' }, { jwk }, { x5c: ['AAAA'] }];
      return Promise.all(headers.map((own) => world.issuer.sign(claimsOf(world), { kid: 'unknown', headers: own })));
    }),
  ],
  'A key id that is a path, a query or unknown opens nothing': [
    'S07',
    refuses((world) =>
      Promise.all(['../../dev/null', "k1' OR '1'='1", 'unknown', '', 'k1\0'].map((kid) => world.issuer.sign(claimsOf(world), { kid }))),
    ),
  ],
  'A token that has expired, or is not valid yet, is none': [
    'S08',
    refuses((world) => Promise.all([signed(world, { exp: second() - 120 }), signed(world, { nbf: second() + 600 })])),
  ],
  'A token without an end is none': [
    'S08',
    refuses(async (world) => {
      const { exp: _, ...claims } = claimsOf(world);
      return [await world.issuer.sign(claims)];
    }),
  ],
  'A token for another audience is none': [
    'S08, S72',
    refuses((world) => Promise.all([signed(world, { aud: 'another' }), signed(world, { aud: ['a', 'b'] }), signed(world, { aud: '' })])),
  ],
  'A token of another issuer is none': [
    'S08',
    refuses((world) => Promise.all([signed(world, { iss: 'https://evil.example' }), signed(world, { iss: `${world.issuer.url}/` })])),
  ],
  'A token whose user or tenant is no plain text is none': [
    'S09',
    refuses((world) =>
      Promise.all(
        [{ sub: ['user_001'] }, { sub: { $ne: null } }, { sub: '' }, { tenant_id: ['a'] }, { tenant_id: '' }, { sub: 'a\0b' }].map(
          (claims) => signed(world, claims),
        ),
      ),
    ),
  ],
  'A token whose body was changed is none': [
    'S07',
    refuses(async (world) => {
      const [head = '', , signature = ''] = (await signed(world, {})).split('.');
      const claims = Buffer.from(JSON.stringify(claimsOf(world, { sub: 'user_001' }))).toString('base64url');
      return [`${head}.${claims}.${signature}`, `${head}.${claims}.`, `${head}.${claims}`, `..${signature}`];
    }),
  ],
  'A token gives no scope of administration': [
    'S11',
    async (world) => {
      const token = await signed(world, { scope: 'tools:read' });
      const client = world.nobody.with({ authorization: `Bearer ${token}` });
      refused(await client.send('GET /keys'), 403);
      refused(await client.send('POST /tools/create_node', { json: { title: 'x', content: 'x' } }), 403);
    },
  ],
});
