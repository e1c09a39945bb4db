// Which nodes a search may return (MT-41, C-69).
import { rootId, type RelationType } from '#lib/contracts';
import { walkShown, layOutView } from '../canvas/layout.js';
import { Rejection } from '../rejection.js';
import type { Reader } from '../store/reader.js';
import type { View } from '../views.js';
import { neighbours } from './neighbours.js';

export type SearchScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  /** Too many to list: for each hit it is checked whether it lies below. */
  | { readonly kind: 'below'; readonly topId: string };

/** A subtree with fewer nodes is listed and searched exactly. */
const maxListedIds = 2_000;

interface ScopeQuery {
  readonly scope: 'All' | 'CurrentView' | 'Subtree' | 'Related';
  readonly scopeNodeId?: string | null | undefined;
  readonly relationTypes?: readonly RelationType[] | null | undefined;
  readonly maxHops: number;
}

export async function resolveScope(
  reader: Reader,
  view: View,
  asked: ScopeQuery,
): Promise<{ allowed: SearchScope; warnings: readonly string[] }> {
  const { scope } = asked;
  if (scope === 'All') return { allowed: { kind: 'all' }, warnings: [] };
  if (scope === 'CurrentView') {
    const top = await layOutView(reader, view, rootId);
    return { allowed: { kind: 'ids', ids: top ? [...walkShown(top)].map(({ node }) => node.nodeId) : [] }, warnings: [] };
  }
  const last = asked.scopeNodeId ? null : await view.lastExpanded();
  const centre = asked.scopeNodeId ?? last ?? rootId;
  const warnings = asked.scopeNodeId ? [] : [`No scopeNodeId was given; the scope ${scope} is that of '${centre}'`];
  if (!(await reader.liveNodes([centre])).nodes.has(centre))
    throw new Rejection('NODE_NOT_FOUND', `There is no node '${centre}' to search around`);
  if (scope === 'Related') {
    const hops = await neighbours(reader, [centre], { hops: asked.maxHops, types: asked.relationTypes });
    return { allowed: { kind: 'ids', ids: [...hops.keys()] }, warnings };
  }
  if (centre === rootId) return { allowed: { kind: 'all' }, warnings };
  const ids = await reader.descendants(centre, maxListedIds);
  return { allowed: ids.length < maxListedIds ? { kind: 'ids', ids } : { kind: 'below', topId: centre }, warnings };
}
