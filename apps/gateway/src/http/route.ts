import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { nativeShapes, Scope } from '#lib/contracts';

/**
 * Who may use a route:
 * - `open`: anyone; the answer reveals nothing about any caller
 * - `link`: whoever has a signed link; the handler checks it
 * - `guest`: visitors; the handler identifies them by a cookie
 * - `caller`: any valid credential
 * - a scope: a credential with this scope
 */
export type Access = 'open' | 'link' | 'guest' | 'caller' | Scope;

/** One parameter of a documented route; all of them are strings in OpenAPI. */
export type RouteParameter = readonly [place: 'path' | 'query' | 'header', name: string, description: string];

/** What `/openapi.json` says of a route. */
export interface RouteDocs {
  /** Unique operation id. */
  readonly id: string;
  readonly summary: string;
  readonly tag:
    | 'discovery'
    | 'calls'
    | 'jobs'
    | 'callers'
    | 'chat'
    | 'files'
    | 'mcp'
    | 'inputs'
    | 'schedules'
    | 'batches'
    | 'policies'
    | 'toolsets'
    | 'budgets'
    | 'pauses'
    | 'flows'
    | 'webhooks'
    | 'accounts'
    | 'operations';
  readonly parameters?: readonly RouteParameter[];
  /** JSON Schema of a JSON body. */
  readonly body?: object;
  /** Media type of a success; default `application/json`. */
  readonly media?: string;
  /** Status of a success; default 200. */
  readonly status?: number;
}

/** Everything about a route that other code needs to know, stated once at its handler. */
export interface RouteFacts {
  /** Default `caller`. */
  readonly access?: Access;
  /** Accepts a one-time ticket in the query: to start one call, or to read the events of one. */
  readonly ticket?: 'start' | 'read';
  /**
   * What `WWW-Authenticate` asks for; default a bearer token. Browsers can only be asked for Basic: it marks the pages made for them.
   */
  readonly challenge?: 'bearer' | 'basic' | 'oauth';
  /** A page for browsers links to it: GET takes the Basic credential that was asked for there. */
  readonly linkedFromPage?: true;
  /** Only these origins and host names may reach it (DNS rebinding). */
  readonly checksOrigin?: boolean;
  /** Bytes that a body may have; default 256 KiB. */
  readonly maxBodyBytes?: number;
  /** The handler reads the body as it comes: NDJSON or JSON. */
  readonly streamsBody?: true;
  /** The path parameter that names a tool. The contract of a tool may allow larger bodies. */
  readonly toolParameter?: 'name' | 'tool';
  /**
   * What a request takes of the allowance of its credential, or of its address where it needs none; default 1. Calls of tools take 0: they
   * have limits of their own, and one that is refused is charged.
   */
  readonly points?: number;
  /** What a request takes besides, by what its body asks for. */
  readonly bodyPoints?: (request: FastifyRequest) => number;
  /** `?set=name` narrows its caller to the tools of a named set. */
  readonly takesSet?: true;
  /** The form of an error; default the envelope. */
  readonly errors?: 'envelope' | 'json-rpc' | keyof typeof nativeShapes;
  /** Null for parts of a documented page, such as its assets. */
  readonly docs: RouteDocs | null;
}

/** A known path, and the methods that it has, as the header `Allow` lists them. */
export interface OtherMethods {
  readonly pattern: string;
  readonly allow: string;
}

/** Whether requests of this method change nothing (RFC 9110, section 9.2.1). */
export function isSafeMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** Whether a request may bring Basic, which a browser sends by itself once its user has given it: to read what is made for browsers. */
export function takesBasic(route: RouteFacts | null, method: string): boolean {
  return isSafeMethod(method) && (route?.challenge === 'basic' || route?.linkedFromPage === true);
}

/** Whether a route needs no credential. */
export function isPublic(access: Access): access is 'open' | 'link' | 'guest' {
  return access === 'open' || access === 'link' || access === 'guest';
}

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: RouteFacts;
  }
  interface FastifyRequest {
    /** What `routeOf` has found. */
    foundRoute?: RouteFacts | null;
    /** Of a request with a method that its path does not have. */
    otherMethods?: OtherMethods;
  }
}

/** States the facts of the route that this method handles. Fastify keeps them in the configuration of the matched route. */
export function Route(facts: RouteFacts): MethodDecorator {
  return RouteConfig({ route: facts });
}

/**
 * The facts of the route that will handle this request, whatever the spelling of its URL; where it is refused for its method, those of its
 * path. Null for an unknown path, or an empty path parameter, which Nest answers with 404.
 */
export function routeOf(request: FastifyRequest): RouteFacts | null {
  // Six hooks ask, and Fastify makes the options of a route anew each time.
  if (request.foundRoute === undefined) request.foundRoute = findRoute(request);
  return request.foundRoute;
}

/** The pattern of the path of a request, such as `/jobs/:id`. */
export function patternOf({ otherMethods, routeOptions }: FastifyRequest): string | undefined {
  return otherMethods?.pattern ?? routeOptions.url;
}

function findRoute({ params, routeOptions }: FastifyRequest): RouteFacts | null {
  if (typeof params === 'object' && params !== null && Object.entries(params).some(([name, value]) => value === '' && name !== '*'))
    return null;
  return routeOptions.config.route ?? null;
}
