import type { FastifyInstance } from 'fastify';

/** Which methods each path answers, so that a wrong one is told apart from an unknown path. */
export class MethodTable {
  readonly #routes: { readonly pattern: RegExp; readonly method: string }[] = [];

  /** Must be installed before the routes are. */
  install(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ url, method }) => {
      // Catch-alls answer every path; they say nothing about any.
      if (url.includes('*')) return;
      const pattern = new RegExp(
        `^${url
          .split('/')
          .map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll(/[^\w-]/g, '\\$&')))
          .join('/')}/?$`,
      );
      for (const one of [method].flat()) this.#routes.push({ pattern, method: one });
    });
  }

  allowed(url: string): readonly string[] {
    const [path = ''] = url.split('?');
    return [...new Set(this.#routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))].toSorted();
  }
}
