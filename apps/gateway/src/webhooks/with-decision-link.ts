import { z } from 'zod';
import type { DecisionLinks } from '../calls/waiting/decision-links.js';

export interface DecisionLinksAt {
  /** Where the gateway is reached. */
  readonly url: string;
  readonly links: Pick<DecisionLinks, 'tokenOf'>;
}

const requested = z.looseObject({
  type: z.literal('input.requested'),
  data: z.looseObject({ id: z.string(), kind: z.literal('approval'), links: z.record(z.string(), z.string()) }),
});

/** The body of a delivery, with a link that decides where it tells of an approval. The same for every try. */
export function withDecisionLink({ url, links }: DecisionLinksAt, { id: webhookId }: { readonly id: string }, body: string): string {
  const event = requested.safeParse(JSON.parse(body));
  if (!event.success) return body;
  const { data, ...rest } = event.data;
  const decide = `${url}/decide/${links.tokenOf({ inputId: data.id, webhookId })}`;
  return JSON.stringify({ ...rest, data: { ...data, links: { ...data.links, decide } } });
}
