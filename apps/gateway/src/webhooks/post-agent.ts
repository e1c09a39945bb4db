import { Agent } from 'undici';
import { lookupPublicOnly, type AddressRules } from '#lib/platform';

const connectMs = 10_000;
/** Of an answer's body, which nobody reads. */
const mostBodyMs = 5_000;

/** Connections to receivers, as the rules allow them. In a file of its own, so that it is loaded when it is first needed. */
export function postAgent({ allowPrivate }: AddressRules, mostPostMs: number): Agent {
  return new Agent({
    connect: { timeout: connectMs, ...(!allowPrivate && { lookup: lookupPublicOnly }) },
    headersTimeout: mostPostMs,
    bodyTimeout: mostBodyMs,
  });
}
