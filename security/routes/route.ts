import { z } from 'zod';
import type { Objects } from '../world/objects.js';
import { routeUses, type RouteUse } from './route-uses.js';

/** A route of the running system with the request that uses it. */
export interface Route {
  /** `GET /jobs/{id}`, as in the OpenAPI document. */
  readonly name: string;
  readonly method: string;
  readonly use: RouteUse;
  /** Path and query, with the victim's things in it. */
  readonly target: string;
  /** The path alone, with this text in the place of the victim's ids; null if it has no parameter. */
  readonly pathWith: (text: string) => string | null;
  readonly body: object | undefined;
  readonly isPublic: boolean;
}

const requirement = z.looseObject({ bearer: z.array(z.string()).default([]) });
const operation = z.looseObject({ operationId: z.string(), security: z.array(requirement).optional() });
const document = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), operation)) });

interface ListedRoute {
  readonly isPublic: boolean;
  /** The scope that the route states. */
  readonly scope: string | undefined;
}

/** `METHOD path` of every operation that is a route of its own, and the access that it states. Tools have paths besides. */
export function routesIn(openapi: unknown): ReadonlyMap<string, ListedRoute> {
  const { paths } = document.parse(openapi);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, facts]) => [`${method.toUpperCase()} ${path}`, facts] as const),
  );
  return new Map(
    operations
      .filter(([name, { operationId }]) => !operationId.endsWith(`_${name.slice(name.lastIndexOf('/') + 1)}`))
      .map(([name, { security }]) => [name, { isPublic: security?.length === 0, scope: security?.[0]?.bearer[0] }]),
  );
}

/** Null if nobody has said how the route is used. */
export function routeOf(name: string, objects: Objects, isPublic: boolean): Route | null {
  const use = routeUses[name];
  if (!use) return null;
  const [method = '', template = ''] = name.split(' ');
  const params = use.params?.(objects) ?? {};
  const fill = (valueOf: (param: string) => string) => template.replaceAll(/\{(\w+)\}/g, (_, param: string) => valueOf(param));
  const path = fill((param) => encodeURIComponent(params[param] ?? ''));
  return {
    name,
    method,
    use,
    target: path + (use.query?.(objects) ?? ''),
    pathWith: (text) => (template.includes('{') ? fill(() => text) : null),
    body: use.body?.(objects),
    isPublic,
  };
}
