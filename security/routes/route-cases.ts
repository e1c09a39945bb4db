import { Broken } from '#lib/testing';
import type { SecurityCase } from '../case.js';
import type { World } from '../world/world.js';
import { routeAttacks } from './attacks.js';
import { dearest } from './dearest.js';
import { routeOf, routesIn, type Route } from './route.js';
import { publicRoutes, routeUses } from './route-uses.js';

/** Every attack on every route of the running system, and that none of the routes has been forgotten. */
export async function routeCases({ victim, objects }: Pick<World, 'victim' | 'objects'>): Promise<readonly SecurityCase[]> {
  const listed = routesIn((await victim.send('GET /openapi.json')).body);
  const routes = [...listed].flatMap(([name, { isPublic }]) => routeOf(name, objects, isPublic) ?? []);
  return [...completeness(listed), ...routes.flatMap(casesOf)];
}

function casesOf(route: Route): readonly SecurityCase[] {
  return routeAttacks
    .filter(({ appliesTo }) => appliesTo?.(route) ?? true)
    .map(({ group, name, threats, attack }) => ({
      group,
      name: name.replace('{route}', route.name),
      threats,
      attack: (world) => attack(route, world),
    }));
}

function completeness(listed: ReturnType<typeof routesIn>): readonly SecurityCase[] {
  const check = (name: string, wrong: readonly string[]): SecurityCase => ({
    group: 'API9',
    name,
    threats: ['S01'],
    attack: async () => {
      if (wrong.length > 0) throw new Broken(`security/routes/route-uses.ts is not true of ${wrong.join(', ')}`);
    },
  });
  const names = [...listed.keys()];
  const open = names.filter((name) => listed.get(name)?.isPublic);
  return [
    check(
      'Each route of the route table is attacked',
      names.filter((name) => !Object.hasOwn(routeUses, name)),
    ),
    check(
      'No route is attacked that does not exist',
      Object.keys(routeUses).filter((name) => !listed.has(name)),
    ),
    check(
      'Each route states the scope that is written for it',
      names.filter((name) => {
        const use = routeUses[name];
        return use && (use.isAskedByTool ? undefined : use.scope) !== listed.get(name)?.scope;
      }),
    ),
    check(
      'Each route that takes a body has its dearest one tried',
      names.filter((name) => routeUses[name]?.body && !Object.hasOwn(dearest, name)),
    ),
    check('Routes without a credential are those of the written list', [
      ...open.filter((name) => !Object.hasOwn(publicRoutes, name)),
      ...Object.keys(publicRoutes).filter((name) => !open.includes(name)),
    ]),
  ];
}
