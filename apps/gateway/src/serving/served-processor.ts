import { domainNamed, type CalledTool } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import type { CallReports, EventLog, HookKeys, InvocationStore, Sealer } from '#lib/transport';
import type { Handler } from '#lib/handlers';
import { JobProcessor, TurnSteps, type AskCaller, type CallAccounts } from '#lib/worker';

export interface ServedProcessorParts {
  readonly sealer: Sealer;
  readonly store: InvocationStore;
  readonly events: EventLog;
  readonly showCauses: boolean;
  /** Where hooks are called. */
  readonly hooks: { readonly url: string; readonly keys: HookKeys };
  /** Puts the questions of tools to their callers. */
  readonly ask: AskCaller;
  /** The accounts of callers. */
  readonly accounts: Pick<CallAccounts, 'recordsOf'>;
  /** Epoch ms, the same for all processes. */
  readonly now: () => number;
  readonly reports: CallReports;
  readonly log: Logger;
}

/** What begins, ends and retries the calls of a tenant's domain; it holds no connection. @param find the handler of a tool */
export function servedProcessor(parts: ServedProcessorParts, name: string, find: (called: CalledTool) => Handler<object> | undefined) {
  const { store, events, sealer, log, showCauses, hooks, ask, accounts, now, reports } = parts;
  const domain = domainNamed(name);
  if (!domain) throw new TypeError(`No domain ${name}`);
  const steps = new TurnSteps(store);
  const registry = { find, resolve: async (called: CalledTool) => find(called) };
  const own = { registry, services: {}, domain: name };
  const processor = new JobProcessor({ ...own, store, steps, events, sealer, log, showCauses, hooks, ask, accounts, now, reports });
  return { domain, steps, processor };
}
