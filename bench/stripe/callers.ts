import { z } from 'zod';
import type { Call } from '../load/call.js';
import { HttpConnection, postHead } from '../load/http-connection.js';

const answerShape = z.object({ success: z.literal(true), url: z.string().startsWith('https://connect.stripe.com/express/acct_ok/') });

/** Callers that ask for login links, each with a connection of its own. Every answer must be a new link. */
export async function openCallers(
  { url, apiKey }: { readonly url: string; readonly apiKey: string },
  count: number,
): Promise<Disposable & { readonly calls: readonly Call[] }> {
  const head = postHead(`${url}/stripe/express_dashboard_login_link`, { authorization: `Bearer ${apiKey}` });
  const body = JSON.stringify({ stripe_account_id: 'acct_ok' });
  const connections = await Promise.all(Array.from({ length: count }, () => HttpConnection.open(url)));
  const seen = new Set<string>();
  const calls = connections.map((connection): Call => async () => {
    const answer = answerShape.parse(JSON.parse(await connection.post(head, body)));
    if (seen.has(answer.url)) throw new Error('a link that was handed out before');
    seen.add(answer.url);
  });
  return { calls, [Symbol.dispose]: () => connections.forEach((connection) => connection[Symbol.dispose]()) };
}
