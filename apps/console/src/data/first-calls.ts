import { useQuery } from '@tanstack/react-query';
import { api } from './api.js';
import { invoq } from './gateway.js';
import { useScope } from './session.js';

/** A page is enough: screens call few tools by themselves. */
const looked = 100;

/** What the screen of the memory calls when it is opened. */
const ofScreens = new Set(['expand_node', 'render_view', 'list_changes', 'list_commits', 'list_branches']);

/** Whether nobody whom one may see had made a call when this page was opened, in the time that the history is kept. Null while that is asked. */
export function useIsNew(): boolean | null {
  const [isAdmin, isTenantAdmin] = [useScope('admin'), useScope('tenant:admin')];
  const scope = isAdmin ? 'all' : isTenantAdmin ? 'tenant' : 'mine';
  const { data, isPending } = useQuery({
    queryKey: ['is-new', scope],
    queryFn: async ({ signal }) => {
      const [open, past] = await Promise.all([api.calls({ scope, limit: looked }), invoq.history({ scope, limit: looked }, { signal })]);
      return [...open.jobs, ...past.calls].every(({ tool_name: tool }) => ofScreens.has(tool));
    },
    // The first call ends nothing that is being read.
    staleTime: Infinity,
    gcTime: Infinity,
  });
  return isPending ? null : data === true;
}
