import type { Mutation } from './mutation.js';

/** Of the console's sessions: what its cookie is for, and who may use it. */
export const consoleMutations: readonly Mutation[] = [
  {
    name: 'scripts of a page may read the cookie of the console',
    file: 'apps/gateway/src/callers/console-cookie.ts',
    text: '; HttpOnly; SameSite=Strict',
    becomes: '; SameSite=Strict',
    foundBy: 'The cookie of the console is kept from scripts',
  },
  {
    name: 'browsers send the cookie of the console along with requests of other sites',
    file: 'apps/gateway/src/callers/console-cookie.ts',
    text: '; HttpOnly; SameSite=Strict',
    becomes: '; HttpOnly; SameSite=None',
    foundBy: 'The cookie of the console is kept from scripts',
  },
  {
    name: 'a form may use the cookie of the console',
    file: 'apps/gateway/src/callers/console-cookie.ts',
    text: 'if (!isSafeMethod(request.method) && !hasConsoleHeader(request)) return null;',
    becomes: '',
    foundBy: 'The cookie of the console counts for its own page',
  },
  {
    name: 'any site may use the cookie of the console',
    file: 'apps/gateway/src/callers/console-cookie.ts',
    text: "if (authorization !== undefined || site !== 'same-origin') return null;",
    becomes: 'if (authorization !== undefined || site === null) return null;',
    foundBy: 'The cookie of the console counts for its own page',
  },
  {
    name: 'a session of the console outlives its key',
    file: 'apps/gateway/src/callers/console-sessions.ts',
    text: "const caller = 'key' in held ? await this.keys.callerOfId(held.key) : this.tokens.callerAgain(held.user);",
    becomes:
      "const known = ((globalThis as any).known ??= new Map()); if (!known.has(session) && 'key' in held) known.set(session, await this.keys.callerOfId(held.key)); const caller = known.get(session);",
    foundBy: 'A session of the console ends with its key',
  },
];
