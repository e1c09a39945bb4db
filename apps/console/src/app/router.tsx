import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { queryString } from '../data/query-string.js';
import { Crashed, NotFound, Root } from './root.js';

/** Filters of a screen, which stand in its address as they are. */
function filters<Name extends string>(...names: readonly Name[]) {
  return (search: Readonly<Record<string, unknown>>): { readonly [Filter in Name]?: string } => {
    const given: { [Filter in Name]?: string } = {};
    for (const name of names) if (typeof search[name] === 'string' && search[name] !== '') given[name] = search[name];
    return given;
  };
}

const callFilters = filters('scope', 'state', 'outcome', 'tenant', 'tool', 'code', 'user', 'since', 'from', 'to');
const callTab = filters('tab');

const root = createRootRoute({ component: Root, notFoundComponent: NotFound, errorComponent: Crashed });
const at = <Path extends string>(path: Path) => ({ getParentRoute: () => root, path });

const routeTree = root.addChildren([
  createRoute({
    ...at('/'),
    validateSearch: filters('range'),
    component: lazyRouteComponent(() => import('../screens/home/home.js'), 'Home'),
  }),
  createRoute({
    ...at('/tools'),
    validateSearch: filters('q', 'domain', 'effect'),
    component: lazyRouteComponent(() => import('../screens/tools/tools.js'), 'Tools'),
  }),
  createRoute({
    ...at('/tools/$name'),
    validateSearch: filters('tab', 'job'),
    component: lazyRouteComponent(() => import('../screens/tools/tool.js'), 'Tool'),
  }),
  createRoute({
    ...at('/calls'),
    validateSearch: callFilters,
    component: lazyRouteComponent(() => import('../screens/calls/calls.js'), 'Calls'),
  }),
  createRoute({
    ...at('/calls/$jobId'),
    validateSearch: callTab,
    component: lazyRouteComponent(() => import('../screens/calls/call.js'), 'CallScreen'),
  }),
  // Former addresses of calls, which chats and mails may still have.
  createRoute({
    ...at('/runs'),
    validateSearch: callFilters,
    beforeLoad: ({ search }) => redirect({ to: '/calls', search, replace: true, throw: true }),
  }),
  createRoute({
    ...at('/runs/$jobId'),
    validateSearch: callTab,
    beforeLoad: ({ params, search }) => redirect({ to: '/calls/$jobId', params, search, replace: true, throw: true }),
  }),
  createRoute({
    ...at('/errors'),
    validateSearch: filters('scope', 'since', 'cause', 'tenant', 'tool', 'code'),
    component: lazyRouteComponent(() => import('../screens/errors/errors.js'), 'Errors'),
  }),
  createRoute({
    ...at('/traces/$traceId'),
    component: lazyRouteComponent(() => import('../screens/traces/trace.js'), 'TraceScreen'),
  }),
  createRoute({
    ...at('/knowledge'),
    validateSearch: filters('q', 'collection', 'kind', 'document'),
    component: lazyRouteComponent(() => import('../screens/knowledge/knowledge.js'), 'Knowledge'),
  }),
  createRoute({
    ...at('/memory'),
    validateSearch: filters('workspace', 'session', 'node', 'tab', 'from', 'to'),
    component: lazyRouteComponent(() => import('../screens/memory/memory.js'), 'Memory'),
  }),
  createRoute({
    ...at('/chat'),
    validateSearch: filters('id'),
    component: lazyRouteComponent(() => import('../screens/chat/chat.js'), 'Chat'),
  }),
  createRoute({
    ...at('/requests'),
    validateSearch: filters('scope', 'state', 'kind', 'tool', 'id'),
    component: lazyRouteComponent(() => import('../screens/requests/requests.js'), 'Requests'),
  }),
  createRoute({
    ...at('/schedules'),
    validateSearch: filters('scope'),
    component: lazyRouteComponent(() => import('../screens/schedules/schedules.js'), 'Schedules'),
  }),
  createRoute({
    ...at('/schedules/$id'),
    component: lazyRouteComponent(() => import('../screens/schedules/schedule.js'), 'ScheduleScreen'),
  }),
  createRoute({
    ...at('/batches'),
    validateSearch: filters('state'),
    component: lazyRouteComponent(() => import('../screens/batches/batches.js'), 'Batches'),
  }),
  createRoute({
    ...at('/batches/$id'),
    validateSearch: filters('show'),
    component: lazyRouteComponent(() => import('../screens/batches/batch.js'), 'BatchScreen'),
  }),
  createRoute({ ...at('/webhooks'), component: lazyRouteComponent(() => import('../screens/webhooks/webhooks.js'), 'Webhooks') }),
  createRoute({
    ...at('/webhooks/$id'),
    validateSearch: filters('state'),
    component: lazyRouteComponent(() => import('../screens/webhooks/webhook.js'), 'WebhookScreen'),
  }),
  createRoute({ ...at('/budgets'), component: lazyRouteComponent(() => import('../screens/budgets/budgets.js'), 'Budgets') }),
  createRoute({ ...at('/flows'), component: lazyRouteComponent(() => import('../screens/flows/flows.js'), 'Flows') }),
  createRoute({ ...at('/pauses'), component: lazyRouteComponent(() => import('../screens/pauses/pauses.js'), 'Pauses') }),
  createRoute({ ...at('/providers'), component: lazyRouteComponent(() => import('../screens/providers/providers.js'), 'Providers') }),
  createRoute({
    ...at('/connections'),
    validateSearch: filters('scope', 'connection', 'error'),
    component: lazyRouteComponent(() => import('../screens/connections/connections.js'), 'Connections'),
  }),
  createRoute({ ...at('/policies'), component: lazyRouteComponent(() => import('../screens/policies/policies.js'), 'Policies') }),
  createRoute({
    ...at('/usage'),
    validateSearch: filters('by', 'days', 'scope', 'tool', 'user'),
    component: lazyRouteComponent(() => import('../screens/usage/usage.js'), 'UsageScreen'),
  }),
  createRoute({ ...at('/keys'), component: lazyRouteComponent(() => import('../screens/keys/keys.js'), 'Keys') }),
  createRoute({ ...at('/servers'), component: lazyRouteComponent(() => import('../screens/servers/servers.js'), 'Servers') }),
  createRoute({
    ...at('/audit'),
    validateSearch: filters('scope', 'tenant', 'actor', 'action', 'subject', 'since', 'from', 'to', 'entry', 'at'),
    component: lazyRouteComponent(() => import('../screens/audit/audit.js'), 'Audit'),
  }),
  createRoute({ ...at('/health'), component: lazyRouteComponent(() => import('../screens/health/health.js'), 'Health') }),
  createRoute({ ...at('/stories'), component: lazyRouteComponent(() => import('../screens/stories/stories.js'), 'Stories') }),
]);

export const router = createRouter({
  routeTree,
  basepath: '/console',
  defaultPreload: 'intent',
  // The screens read what they need through their queries.
  defaultPreloadStaleTime: 0,
  // Back and Forward lead to where one was, in long lists too.
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search: Readonly<Record<string, string | undefined>>) => queryString(search),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
