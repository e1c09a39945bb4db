import { consoleTicket as shape } from '#lib/contracts';
import { CommandError } from '#lib/command-line';
import type { LocalRun } from './local-run.js';

/** A one-use ticket that signs a browser in with the admin key of a local run. */
export async function consoleTicket({ url, keys }: Pick<LocalRun, 'url' | 'keys'>): Promise<string> {
  const answer = await fetch(`${url}/console/tickets`, { method: 'POST', headers: { authorization: `Bearer ${keys.admin}` } });
  if (!answer.ok) throw new CommandError(`the gateway gave no ticket for the console: status ${answer.status}, ${await answer.text()}`);
  return shape.parse(await answer.json()).ticket;
}
