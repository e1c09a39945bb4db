import { fingerprint, isStorable, outsideTool, type OutsideServer } from '#lib/contracts';
import type { Suspension } from './server-store.js';
import type { ToolListing } from './upstream.js';

/** Tools to suspend, by name. */
export function changesSince({ tools, connection }: OutsideServer, offer: ToolListing): ReadonlyMap<string, Suspension> {
  const now = new Map(offer.tools.map((tool) => [tool.name, tool]));
  const reasons = new Map(offer.malformed.map(({ tool, reason }) => [tool, reason]));
  return new Map(
    tools.flatMap((tool): [string, Suspension][] => {
      if (tool.suspended !== undefined) return [];
      const approved = outsideTool.parse(tool);
      const offered = now.get(approved.name);
      // A server shows each account what it may use: what one does not see is there for others.
      if (!offered && connection) return [];
      const again = 'register the server again to approve what it has';
      const fault = reasons.get(approved.name);
      if (!offered && fault !== undefined) return [[approved.name, { reason: `it cannot be offered as it is now: ${fault}; ${again}` }]];
      if (!offered) return [[approved.name, { reason: `its server has it no more; ${again}` }]];
      // A page that nobody has approved is not shown: that it came costs nothing.
      const compared = approved.ui ? offered : { ...offered, ui: undefined };
      if (fingerprint(compared) === fingerprint(approved)) return [];
      const reason = 'its server changed its definition after it was approved; register the server again to approve it';
      // What cannot be kept must not keep the tool from being suspended.
      return [[approved.name, isStorable(offered) ? { reason, offered } : { reason }]];
    }),
  );
}
