import { Injectable } from '@nestjs/common';
import type { FastifyInstance, HTTPMethods, RouteOptions } from 'fastify';
import Router from 'find-my-way';
import { Refusal } from '#lib/contracts';
import { maxPathPart } from './problem.js';
import type { OtherMethods, RouteDocs, RouteFacts } from './route.js';

export interface ListedRoute {
  readonly method: string;
  /** The pattern, such as `/jobs/:id`. */
  readonly url: string;
  /** Null for routes of plugins that state none. */
  readonly facts: RouteFacts | null;
}

/** A documented route with the further patterns under which its handler is reached. */
export interface DocumentedRoute extends ListedRoute {
  readonly facts: RouteFacts;
  readonly docs: RouteDocs;
  readonly aliases: readonly string[];
}

/** All routes of the gateway, as Fastify has them. */
@Injectable()
export class RouteTable {
  #paths: Router.Instance<Router.HTTPVersion.V1> | null = null;
  readonly #seen: { readonly method: string; readonly url: string; readonly options: RouteOptions }[] = [];

  /** Must be installed before the first route is, and before hooks that ask for the route of a request. */
  install(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (options) => {
      // A hook of an inner scope may add the facts later.
      for (const method of [options.method].flat()) this.#seen.push({ method, url: options.url, options });
    });
    fastify.addHook('onRequest', (request, _reply, done) => {
      // CORS has a route of its own for all paths.
      if (!request.is404 && !(request.method === 'OPTIONS' && request.routeOptions.url === '*')) return done();
      const found = this.#findOtherMethods(fastify, request.url);
      if (found) Object.assign(request, { foundRoute: found.facts, otherMethods: found.others });
      done();
    });
  }

  get routes(): readonly ListedRoute[] {
    return this.#seen.map(({ method, url, options }) => ({ method, url, facts: options.config?.route ?? null }));
  }

  /** One entry for each handler with documentation; HEAD goes without saying where there is GET. */
  documented(): readonly DocumentedRoute[] {
    const byFacts = Map.groupBy(
      this.routes.filter(({ method, facts }) => facts?.docs && method !== 'HEAD'),
      ({ facts }) => facts,
    );
    return [...byFacts].flatMap(([facts, [first, ...others]]) =>
      facts?.docs && first ? [{ ...first, facts, docs: facts.docs, aliases: others.map(({ url }) => url) }] : [],
    );
  }

  /**
   * Answers 405 with `Allow` at known paths for all methods that they do not have. A request has the access and the form of errors of its
   * path, so this comes after all other hooks.
   */
  refuseOtherMethods(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', ({ method, otherMethods }, _reply, done) => {
      if (!otherMethods) return done();
      const { allow } = otherMethods;
      done(new Refusal('METHOD_NOT_ALLOWED', `${method} is not allowed here; use ${allow}`, { extra: { allow } }));
    });
  }

  /** What is known of a path by its other methods. A catch-all matches every path and says nothing about any. */
  #findOtherMethods(fastify: FastifyInstance, path: string): { readonly facts: RouteFacts; readonly others: OtherMethods } | null {
    this.#paths ??= routerOf(this.routes);
    const found = this.#paths.find('GET', path);
    const known: unknown = found?.store;
    if (!(known instanceof KnownPath) || Object.values(found?.params ?? {}).includes('')) return null;
    const allowed = fastify.supportedMethods.filter((method) => isServed(fastify, method, path));
    const { ticket: _, ...facts } = known.facts ?? { docs: null };
    return { facts: { ...facts, docs: null }, others: { pattern: known.pattern, allow: allowed.toSorted().join(', ') } };
  }
}

/** A path that some method has. */
class KnownPath {
  constructor(
    readonly pattern: string,
    readonly facts: RouteFacts | null,
  ) {}
}

/** A router of all paths, whatever their methods. It is Fastify's own, so it reads paths as Fastify does. */
function routerOf(routes: readonly ListedRoute[]): Router.Instance<Router.HTTPVersion.V1> {
  const router = Router({ maxParamLength: maxPathPart });
  const paths = Map.groupBy(
    routes.filter(({ url }) => !url.includes('*')),
    ({ url }) => url.replaceAll(/:\w+/g, ':'),
  );
  for (const [first, ...others] of paths.values()) {
    if (!first) continue;
    const facts = [first, ...others].find((one) => one.facts)?.facts ?? null;
    router.on('GET', first.url, () => undefined, new KnownPath(first.url, facts));
  }
  return router;
}

function isServed(fastify: FastifyInstance, method: string, url: string): boolean {
  const found: { params: object } | null = fastify.findRoute({ method: method as HTTPMethods, url });
  return found !== null && !('*' in found.params);
}
