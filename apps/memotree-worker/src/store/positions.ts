import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing';
import { memotreeLimits as limits } from '#lib/contracts';
import { Rejection } from '../rejection.js';
import type { Reader } from './reader.js';

/**
 * The position of a node among the children of a parent. Positions are fractional keys: siblings are never renumbered.
 * @throws Rejection INVALID_PARAMS for a full parent, NODE_NOT_FOUND if `beforeId` is not one of its children
 */
export async function positionAmong(
  reader: Reader,
  parentId: string,
  { beforeId, nodeId }: { readonly beforeId?: string | null | undefined; readonly nodeId?: string },
): Promise<string> {
  const { count, last } = await reader.childrenEnd(parentId, nodeId);
  if (count >= limits.children)
    throw new Rejection('INVALID_PARAMS', `The node '${parentId}' has ${limits.children} children, the most that a node may have`);
  if (!beforeId) return generateKeyBetween(last, null);
  const siblings = (await reader.childPositions(parentId)).filter((one) => one.nodeId !== nodeId);
  const at = siblings.findIndex((one) => one.nodeId === beforeId);
  const next = siblings[at];
  if (!next) throw new Rejection('NODE_NOT_FOUND', `'${beforeId}' is not a child of '${parentId}'`);
  // Two sessions may have assigned the same key, and a new key fits only between different ones.
  const previous = siblings.slice(0, at).findLast(({ position }) => position < next.position);
  return generateKeyBetween(previous?.position ?? null, next.position);
}

/** Positions for several new children at the end. @param reader null for a parent that has no children yet */
export async function positionsAtEnd(reader: Reader | null, parentId: string, count: number): Promise<readonly string[]> {
  const { count: present, last } = reader ? await reader.childrenEnd(parentId, undefined) : { count: 0, last: null };
  if (present + count > limits.children)
    throw new Rejection('INVALID_PARAMS', `The node '${parentId}' would have ${present + count} children; ${limits.children} are allowed`);
  return generateNKeysBetween(last, null, count);
}
