import type { SourceRequirement } from './source-requirement.js';

/** What all source documents share. */
export const platform = [
  { id: 'PL-01', strength: 'M', area: 'platform', summary: 'The gateway accepts, follows and never runs a tool' },
  { id: 'PL-02', strength: 'M', area: 'platform', summary: 'One queue and one worker app a domain' },
  { id: 'PL-03', strength: 'M', area: 'platform', summary: 'One contract a tool; output that breaks it is never a success' },
  { id: 'PL-04', strength: 'M', area: 'platform', summary: 'Retry rules are data by tool and kind of failure' },
  { id: 'PL-05', strength: 'M', area: 'platform', summary: 'Postgres holds what must last' },
  { id: 'PL-06', strength: 'M', area: 'platform', summary: 'One trace over all processes' },
  { id: 'PL-07', strength: 'M', area: 'platform', summary: 'Jobs can be polled by their caller alone' },
  { id: 'PL-08', strength: 'M', area: 'platform', summary: 'The board is for administrators and redacted' },
  { id: 'PL-09', strength: 'M', area: 'platform', summary: 'Exactly one layer retries' },
  { id: 'PL-10', strength: 'M', area: 'platform', summary: 'A killed worker costs nobody an answer' },
  { id: 'PL-11', strength: 'M', area: 'platform', summary: 'Shutdown is graceful' },
  { id: 'PL-12', strength: 'M', area: 'platform', summary: 'An outage of a store is a 503 in time, and heals' },
] as const satisfies readonly SourceRequirement[];
