import { domainNamed } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import { JoinedSteps, SeparateSteps, type EventLog, type InvocationStore, type Sealer } from '#lib/transport';
import type { Handler } from '#lib/handlers';
import { JobProcessor, type CalledTool } from '#lib/worker';

export interface ServedProcessorParts {
  readonly sealer: Sealer;
  readonly store: InvocationStore;
  readonly events: EventLog;
  readonly queueBackend: 'invoq' | 'stock';
  readonly showCauses: boolean;
  readonly log: Logger;
}

/** What begins, ends and retries the calls of a tenant's domain; it holds no connection. @param find the handler of a tool */
export function servedProcessor(parts: ServedProcessorParts, name: string, find: (called: CalledTool) => Handler<object> | undefined) {
  const { store, events, sealer, log, queueBackend, showCauses } = parts;
  const domain = domainNamed(name);
  if (!domain) throw new TypeError(`No domain ${name}`);
  const steps = queueBackend === 'stock' ? new SeparateSteps(store) : new JoinedSteps(store, domain);
  const registry = { find, resolve: async (called: CalledTool) => find(called) };
  const processor = new JobProcessor({ store, steps, events, sealer, log, registry, services: {}, domain: name, showCauses });
  return { domain, steps, processor };
}
