import { Injectable } from '@nestjs/common';
import type { FastifyInstance, HTTPMethods, RouteOptions } from 'fastify';
import { Refusal } from '#lib/contracts';
import type { RouteDocs, RouteFacts } from './route.js';

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
  readonly #seen: { readonly method: string; readonly url: string; readonly options: RouteOptions }[] = [];

  /** Must be installed before the first route is. */
  install(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (options) => {
      // A hook of an inner scope may add the facts later.
      for (const method of [options.method].flat()) this.#seen.push({ method, url: options.url, options });
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
   * Answers 405 with `Allow` at known paths for all methods that they do not have. These are routes too, so that access and the
   * form of errors are those of the path. Call it after all other routes are there.
   */
  answerOtherMethods(fastify: FastifyInstance): void {
    const byUrl = Map.groupBy(
      // A catch-all matches every path and says nothing about any.
      this.routes.filter(({ url }) => !url.includes('*')),
      ({ url }) => url,
    );
    const added = [...byUrl].map(([url, routes]) => {
      const allowed = fastify.supportedMethods.filter((method) => isServed(fastify, method, url));
      return { url, allowed, facts: routes.find(({ facts }) => facts)?.facts ?? null };
    });
    for (const { url, allowed, facts } of added) {
      const method = fastify.supportedMethods.filter((one) => !allowed.includes(one));
      if (method.length > 0) fastify.route({ method, url, ...configOf(facts), handler: refuseMethod(allowed.toSorted().join(', ')) });
    }
  }
}

/** A pattern is also a path that it matches: `:id` is a value like any other. */
function isServed(fastify: FastifyInstance, method: string, url: string): boolean {
  const found: { params: object } | null = fastify.findRoute({ method: method as HTTPMethods, url });
  return found !== null && !('*' in found.params);
}

function configOf(facts: RouteFacts | null): Pick<RouteOptions, 'config'> {
  const { ticket: _, ...others } = facts ?? {};
  return { config: { route: { ...others, refusesMethod: true, docs: null } } };
}

function refuseMethod(allow: string): RouteOptions['handler'] {
  return ({ method }) => {
    throw new Refusal('METHOD_NOT_ALLOWED', `${method} is not allowed here; use ${allow}`, { extra: { allow } });
  };
}
