import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Sealer } from '#lib/transport';

/** How long somebody has at the issuer, in ms. */
export const attemptMs = 600_000;

const attempt = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Where it goes on: path and query below the origin of the gateway. */
  to: z.string(),
  /** Epoch milliseconds. */
  endsAt: z.number(),
});
export type SignInAttempt = z.infer<typeof attempt>;

const purpose = 'a sign-in to the console';

export function newAttempt(to: string, now = Date.now()): SignInAttempt {
  const name = () => randomBytes(32).toString('base64url');
  return { state: name(), nonce: name(), verifier: name(), to, endsAt: now + attemptMs };
}

/**
 * A sign-in that is under way is in a cookie of the browser that began it, sealed: another browser has no way to go on with it, and whoever
 * asks for many costs no store anything. Lax: it comes along when the issuer sends the browser back.
 */
export class AttemptCookie {
  readonly #sealer: Pick<Sealer, 'sealText' | 'openText'>;

  constructor(sealer: Pick<Sealer, 'sealText' | 'openText'>) {
    this.#sealer = sealer;
  }

  keep(request: FastifyRequest, reply: FastifyReply, kept: SignInAttempt): void {
    write(request, reply, this.#sealer.sealText(JSON.stringify(kept), purpose), attemptMs / 1_000);
  }

  /** The attempt of this browser, and takes it from the browser: it is good for once. Null where there is none, or its time is over. */
  take(request: FastifyRequest, reply: FastifyReply, now = Date.now()): SignInAttempt | null {
    const name = nameFor(request);
    const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const sealed = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
    write(request, reply, '', 0);
    const kept = sealed === undefined ? null : this.#open(sealed);
    return kept && kept.endsAt > now ? kept : null;
  }

  #open(sealed: string): SignInAttempt | null {
    try {
      return attempt.parse(JSON.parse(this.#sealer.openText(sealed, purpose)));
    } catch {
      // Somebody else's cookie, or one of before the keys were changed.
      return null;
    }
  }
}

// One at a time: a second sign-in in the same browser takes the place of the first.
// oxlint-disable-next-line max-params
function write(request: FastifyRequest, reply: FastifyReply, value: string, seconds: number): void {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  void reply.header('set-cookie', `${nameFor(request)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`);
}

function nameFor({ protocol }: FastifyRequest): string {
  return protocol === 'https' ? '__Host-invoq_sign_in' : 'invoq_sign_in';
}
