// What is tried on every route.
import { randomUUID } from 'node:crypto';
import { must } from '#lib/testing';
import type { Group } from '../case.js';
import { clientError, codeOf, mustNotHold, refused, sentBack, served } from '../expect.js';
import { describe, type Answer } from '../world/answer.js';
import type { Client } from '../world/client.js';
import type { World } from '../world/world.js';
import { dearNames, tooManyNames } from './dear-bodies.js';
import { mustPayForItself } from './cost.js';
import type { Route } from './route.js';
import { spellings } from './spellings.js';

export interface RouteAttack {
  readonly group: Group;
  /** What holds; `{route}` is its name. */
  readonly name: string;
  readonly threats: readonly string[];
  /** Default: every route. */
  readonly appliesTo?: (route: Route) => boolean;
  readonly attack: (route: Route, world: World) => Promise<void>;
}

const needsCredential = ({ isPublic }: Route): boolean => !isPublic;
const changesSomething = ({ method }: Route): boolean => method !== 'GET';

/** Calls the route as it is meant to be called, with changes. */
function call(
  by: Client,
  { method, target, body, use }: Route,
  { headers, ...changes }: Parameters<Client['send']>[1] = {},
): Promise<Answer> {
  return by.send(`${method} ${target}`, { ...(body && { json: body }), ...changes, headers: { ...use.headers, ...headers } });
}

/** By one who gets past authentication and scopes, on the route without the thing that others are after where it would go away. */
function fromInside(attack: (route: Route, insider: Client, world: World) => Promise<void>): RouteAttack['attack'] {
  return async (route, world) => {
    const target = (route.method === 'DELETE' && route.pathWith('none')) || route.target;
    await attack({ ...route, target }, route.use.scope === undefined || route.use.isAskedByTool ? world.stranger : world.admin, world);
  };
}

/** Any answer but a fault, and none about a prototype. */
function harmless(answer: Answer): Answer {
  mustNotHold(answer.text, '"polluted":true', describe(answer));
  return answer;
}

/** A refusal, or the answer that nothing runs. */
function nothingServed(answer: Answer): void {
  if (answer.status !== 204) clientError(answer);
}

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const deep = 3_000;
const tooManyBytes = 8 * 1024 * 1024 + 1;
const tooManyBytesFor = ({ use }: Route): number => (use.maxBodyBytes === undefined ? tooManyBytes : use.maxBodyBytes + 1);

/** Processor time of a gateway for one request, however dear. A contract of 51 KB that was built for each announcement took 770 ms. */
const dearestMs = 300;

/** What the second gateway has used of its processor, which few other cases use. */
async function processorMs({ admin, strictUrl }: World): Promise<number> {
  const { text } = served(await admin.at(strictUrl).send('GET /metrics'));
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]) * 1_000;
}

export const routeAttacks: readonly RouteAttack[] = [
  {
    group: 'API2',
    name: '{route} without a credential',
    threats: ['S01'],
    appliesTo: needsCredential,
    attack: async (route, { nobody }) => {
      const answer = refused(await call(nobody, route), 401);
      must(answer.headers.has('www-authenticate'), `no WWW-Authenticate: ${describe(answer)}`);
    },
  },
  {
    group: 'API1',
    name: '{route} with things of another tenant',
    threats: ['S14'],
    attack: async (route, world) => {
      // A new user: what another case did as a user is that user's own. What the victim alone knows would break the rules of all answers.
      const stranger = await world.newClient({ tenant: world.strangerTenant, userId: `user_${randomUUID()}` });
      const answer = await call(stranger, route);
      if (route.use.others === 'their own') served(answer);
      else if (route.use.others === 'refused') refused(answer, [400, 403, 405]);
      else if (route.use.others === 'sent back') sentBack(answer);
      else nothingServed(answer);
    },
  },
  {
    group: 'API5',
    name: '{route} with too small a scope',
    threats: ['S11'],
    appliesTo: ({ use }) => use.scope !== undefined,
    attack: async (route, { powerless }) => void refused(await call(powerless, route), 403),
  },
  {
    group: 'API5',
    name: '{route} with every scope but the one that it asks for',
    threats: ['S11'],
    appliesTo: ({ use }) => use.scope !== undefined,
    attack: async (route, { clientWithout }) => {
      const { scope } = route.use;
      if (scope) refused(await call(await clientWithout(scope), route), 403);
    },
  },
  {
    group: 'API1',
    name: '{route} by the administrator of another tenant',
    threats: ['S14', 'S93'],
    appliesTo: (route) => needsCredential(route) && !route.use.isEndless,
    attack: async (route, { strangerAdmin, objects, system }) => {
      // Whatever it answers, it is about no thing of the victim.
      const answer = await call(strangerAdmin, route);
      // The audit names who made a change; that may be an operator of the victim's tenant.
      mustNotHold(answer.text.replaceAll(/"actor":"[^"]*"/g, ''), system.tenant.id, describe(answer));
      if (answer.status < 300) for (const id of [objects.keyId, objects.jobId]) mustNotHold(answer.text, id, describe(answer));
    },
  },
  {
    group: 'API5',
    name: '{route} spelled six ways, by one who may not use it',
    threats: ['finding 1', 'S56', 'S99'],
    appliesTo: needsCredential,
    attack: async (route, { nobody, powerless, system }) => {
      for (const [how, spelled] of Object.entries(spellings(route.target, system.gateway.url))) {
        const changes = { target: spelled };
        const anonymous = await call(nobody, { ...route, ...changes });
        must([400, 401, 404].includes(anonymous.status), `${how} opens it without a credential: ${describe(anonymous)}`);
        if (route.use.scope === undefined) continue;
        const small = await call(powerless, { ...route, ...changes });
        must([400, 403, 404, 405].includes(small.status), `${how} opens it without the scope: ${describe(small)}`);
      }
    },
  },
  {
    group: 'API4',
    name: '{route} with the dearest body keeps nobody waiting',
    threats: ['S53', 'S86'],
    appliesTo: changesSomething,
    attack: fromInside(async (route, insider, world) => {
      for (const body of [dearNames, tooManyNames]) {
        let least = Number.POSITIVE_INFINITY;
        // What others do meanwhile is counted too.
        for (let again = 0; again < 6 && !(least < dearestMs); again++) {
          const before = await processorMs(world);
          await call(insider.at(world.strictUrl), route, { body, allows: [0] });
          least = Math.min(least, (await processorMs(world)) - before);
        }
        must(least < dearestMs, `a body of ${body.length} bytes took ${Math.round(least)} ms of the gateway's processor`);
      }
    }),
  },
  {
    group: 'API4',
    name: '{route} at its dearest takes what it costs',
    threats: ['S53', 'S86'],
    appliesTo: ({ use }) => !use.isEndless,
    attack: mustPayForItself,
  },
  {
    group: 'API4',
    name: '{route} with an oversized body',
    threats: ['finding 1', 'S54'],
    attack: fromInside(async (route, insider) => {
      // The connection may be cut while the body is still being sent.
      const answer = await call(insider, route, { body: `{"a":"${'x'.repeat(tooManyBytesFor(route))}"}`, allows: [0] });
      if (changesSomething(route) && answer.status !== 0) refused(answer, [405, 413]);
      // Declared, and never sent.
      const declared = await call(insider, route, {
        body: '{}',
        headers: { 'content-length': String(tooManyBytesFor(route)), expect: '100-continue' },
      });
      if (changesSomething(route)) refused(declared, [405, 413]);
    }),
  },
  {
    group: 'API8',
    name: '{route} with NUL in path, query, header and body',
    threats: ['finding 11', 'S59'],
    attack: fromInside(async (route, insider) => {
      const spelled = route.pathWith('%00');
      if (spelled !== null) nothingServed(await call(insider, { ...route, target: spelled }));
      await call(insider, { ...route, target: `${route.target}%00` });
      const mark = route.target.includes('?') ? '&' : '?';
      await call(insider, { ...route, target: `${route.target}${mark}cursor=%00&wait=%00&user_id=%00&personality=%00` });
      refused(await call(insider, route, { headers: { 'x-session-id': 'a\0b' } }), 400);
      if (route.body) clientError(await call(insider, route, { json: { ...route.body, name: 'a\0b', message: 'a\0b' } }));
    }),
  },
  {
    group: 'API8',
    name: '{route} with JSON 3,000 deep',
    threats: ['finding 11', 'S53'],
    attack: fromInside(async (route, insider) => {
      if (route.body) clientError(await call(insider, route, { body: nested(deep) }));
      const mark = route.target.includes('?') ? '&' : '?';
      const query = `metacognition=true&personality=${encodeURIComponent(nested(deep))}&${'a[b]'.repeat(100)}=1`;
      await call(insider, { ...route, target: `${route.target}${mark}${query}` });
    }),
  },
  {
    group: 'API8',
    name: '{route} with __proto__',
    threats: ['finding 11', 'S51'],
    attack: fromInside(async (route, insider, world) => {
      const bodies = ['{"__proto__":{"polluted":true}}', '{"constructor":{"prototype":{"polluted":true}}}'];
      if (route.body) for (const body of bodies) clientError(harmless(await call(insider, route, { body })));
      const mark = route.target.includes('?') ? '&' : '?';
      const query = '__proto__[polluted]=true&a[__proto__][polluted]=true&constructor[prototype][polluted]=true';
      harmless(await call(insider, { ...route, target: `${route.target}${mark}${query}` }));
      const personality = encodeURIComponent('{"__proto__":{"polluted":true}}');
      harmless(await call(insider, { ...route, target: `${route.target}${mark}metacognition=true&personality=${personality}` }));
      harmless(await call(world.victim, { ...route, method: 'GET', target: '/tools/__proto__' }));
    }),
  },
  {
    group: 'API8',
    name: '{route} from a page of another site',
    threats: ['finding 8', 'S97'],
    attack: async (route, world) => {
      const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      const { authorization = '' } = world.admin.headers;
      const basic = `Basic ${Buffer.from(`admin:${authorization.replace('Bearer ', '')}`).toString('base64')}`;
      for (const headers of [{ ...evil, authorization: basic }, { ...evil, 'sec-fetch-site': 'same-site', authorization: basic }, evil]) {
        const answer = await call(world.admin, route, { headers });
        must(!answer.headers.has('access-control-allow-origin'), `another site may read it: ${describe(answer)}`);
        if (changesSomething(route)) refused(answer, [401, 403, 405]);
      }
    },
  },
  {
    group: 'API8',
    name: '{route} with other methods and with headers that would change the method',
    threats: ['S56'],
    appliesTo: needsCredential,
    attack: async (route, { nobody, powerless }) => {
      const override = { 'x-http-method-override': 'GET', 'x-method-override': 'DELETE' };
      for (const method of ['TRACE', 'PUT', 'PATCH', 'OPTIONS', 'PROPFIND']) {
        clientError(await call(nobody, { ...route, method }, { headers: override }));
        const answer = await call(powerless, { ...route, method }, { headers: override });
        must(answer.status >= 400, `${method} does something: ${describe(answer)}`);
        must(codeOf(answer) !== undefined, `an error without a code: ${describe(answer)}`);
      }
    },
  },
];
