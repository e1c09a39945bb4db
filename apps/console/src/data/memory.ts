// The memory tree of one workspace, as one working session sees it.
import { useMutation, useQueries, useQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import type { InputOf, OutputOf, ToolResult } from '#lib/client';
import type { ProductTools } from '#lib/contracts';
import { invoq } from './gateway.js';
import { queries } from './queries.js';

export interface MemoryPlace {
  /** Undefined for the caller's own workspace. */
  readonly workspace: string | undefined;
  /** What is staged belongs to it. */
  readonly sessionId: string;
}

export const MemoryContext = createContext<MemoryPlace | null>(null);

export function useMemory(): MemoryPlace {
  const place = use(MemoryContext);
  if (!place) throw new Error('a part of the memory is drawn outside its screen');
  return place;
}

type MemoryTool =
  | 'expand_node'
  | 'render_view'
  | 'search_nodes'
  | 'list_changes'
  | 'list_commits'
  | 'list_branches'
  | 'diff_commits'
  | 'create_node'
  | 'update_node'
  | 'delete_node'
  | 'commit_changes'
  | 'discard_changes'
  | 'create_branch'
  | 'switch_branch'
  | 'merge_branch';

/** Reads with a tool. */
export function useMemoryQuery<Name extends MemoryTool>(name: Name, input: Omit<InputOf<ProductTools, Name>, 'workspace'>) {
  const { workspace, sessionId } = useMemory();
  return useQuery({
    queryKey: ['memory', workspace, sessionId, name, input],
    queryFn: async ({ signal }): Promise<OutputOf<ProductTools, Name>> =>
      (await callMemory(name, { ...input, ...at(workspace) }, { sessionId, signal })).data,
  });
}

export type ChildNode = NonNullable<ProductTools['expand_node']['output']['children']>[number];

/** The children of several nodes, as far as they have been read. */
export function useChildrenOf(nodeIds: readonly string[]): ReadonlyMap<string, readonly ChildNode[]> {
  const { workspace, sessionId } = useMemory();
  return useQueries({
    queries: nodeIds.map((nodeId) => ({
      queryKey: ['memory', workspace, sessionId, 'children', nodeId],
      queryFn: async () =>
        (await callMemory('expand_node', { nodeId, level: 'Title', includeChildren: true, ...at(workspace) }, { sessionId })).data,
    })),
    combine: (answers) => new Map(answers.flatMap(({ data }) => (data ? [[data.nodeId, data.children ?? []] as const] : []))),
  });
}

/** Changes with a tool; everything that was read of the memory is read again. */
export function useMemoryChange<Name extends MemoryTool>(name: Name) {
  const { workspace, sessionId } = useMemory();
  return useMutation({
    mutationFn: async (input: Omit<InputOf<ProductTools, Name>, 'workspace'>): Promise<OutputOf<ProductTools, Name>> =>
      (await callMemory(name, { ...input, ...at(workspace) }, { sessionId, idempotencyKey: crypto.randomUUID() })).data,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['memory', workspace, sessionId] }),
  });
}

interface MemoryCall {
  readonly sessionId: string;
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
}

/** The types are those of the contract of the tool. */
function callMemory<Name extends MemoryTool>(
  name: Name,
  input: object,
  call: MemoryCall,
): Promise<ToolResult<OutputOf<ProductTools, Name>>>;
function callMemory(name: string, input: object, call: MemoryCall): Promise<ToolResult<unknown>> {
  const { sessionId, ...rest } = call;
  // Without one it is the session of calls that name none.
  return invoq.call<string>(name, { ...input }, { ...rest, ...(sessionId !== '' && { sessionId }) });
}

function at(workspace: string | undefined): { readonly workspace?: string } {
  return workspace === undefined ? {} : { workspace };
}

const storageKey = 'invoq-console-memory-session';

/** The working session of this browser: what it has staged is there again after a reload. */
export function workingSession(): string {
  const kept = localStorage.getItem(storageKey);
  if (kept !== null) return kept;
  const made = `console-${crypto.randomUUID().slice(0, 8)}`;
  localStorage.setItem(storageKey, made);
  return made;
}
