import { inSlot, opaque, PartitionKeys } from './partition-keys.js';

/**
 * What one process of all sweeps: domains that no worker serves, due schedules, places in flows of calls that are gone, what people should be
 * told of, what killed gateways held of budgets.
 */
type SweptAlone = 'unserved' | 'schedule' | 'flow' | 'alert' | 'budget';

/** What every gateway knows of all tenants, and reads again when it has changed. */
type Watched = 'outside' | 'served' | 'webhook' | 'policy' | 'budget' | 'toolset' | 'pause' | 'flow';

/** Names of everything in Redis. What comes from outside enters a name only as a hash. */
export class RedisKeys extends PartitionKeys {
  readonly #namespace: string;

  /** Throws where the namespace is no name. */
  constructor(namespace: string) {
    super(namespace);
    this.#namespace = namespace;
  }

  /** Who sweeps this for all. */
  soleSweeper(what: SweptAlone): string {
    return `${this.#namespace}:${what}-sweeper`;
  }

  /** Channel that tells every gateway of such a change. */
  changesOf(what: Watched): string {
    return `${this.#namespace}:${what}-changes`;
  }

  /** Conversations and tokens of somebody on a day. */
  chatCounts(day: string, who: string): string {
    return `{${this.#namespace}:agent}:chat:${day}:${opaque(who)}`;
  }

  /** Turns of a guest's conversation, kept as long as the guest may come back. Two guests may use one id for two conversations. */
  guestTurns(guest: string, conversationId: string): string {
    return `{${this.#namespace}:agent}:guest:${opaque(JSON.stringify([guest, conversationId]))}`;
  }

  /** How many partitions gateways give to a domain, by when one of them was last there. */
  partitionCounts(): string {
    return `${this.#namespace}:partitions`;
  }

  /** In which partition a call with an idempotency key is, where that is not plain. */
  idempotencyPlace(domain: string, parts: readonly string[]): string {
    return `${this.#namespace}:idempotency-place:${opaque(JSON.stringify([domain, ...parts]))}`;
  }

  ticket(ticket: string): string {
    return `${this.#namespace}:ticket:${opaque(ticket)}`;
  }

  /** The job that a used ticket is bound to. */
  usedTicket(ticket: string): string {
    return `${this.#namespace}:used-ticket:${opaque(ticket)}`;
  }

  /** @param session the hash of its id */
  consoleSession(session: string): string {
    return `${this.#namespace}:console-session:${session}`;
  }

  /** Signs a browser in to the console. */
  consoleTicket(ticket: string): string {
    return `${this.#namespace}:console-ticket:${opaque(ticket)}`;
  }

  /** A list of calls, by its name. */
  callList(name: string): string {
    return `{${this.#namespace}:runs}:list:${opaque(name)}`;
  }

  /** What is known of the ended calls that were accepted in one hour since 1970. */
  callRows(hour: number): string {
    return `{${this.#namespace}:runs}:rows:${hour}`;
  }

  /** Counts of the calls that ended in one second, or one minute, since 1970. */
  activity(span: string, number: number): string {
    return `{${this.#namespace}:runs}:activity:${span}:${number}`;
  }

  /** Errors of the calls that ended in one hour since 1970, by kind and minute. */
  errors(hour: number): string {
    return `{${this.#namespace}:runs}:errors:${hour}`;
  }

  /** Runs as they begin and end; also the channel that tells of new entries. */
  callFeed(): string {
    return `{${this.#namespace}:runs}:told`;
  }

  /** The tools of tenants that have a worker, with the time until which it is taken for there. */
  servedTools(): string {
    return `${this.#namespace}:served-tools`;
  }

  /** What each gateway says of the workers that are connected to it, by domain and gateway. */
  servedWorkers(): string {
    return `${this.#namespace}:served-workers`;
  }

  /** When each domain of tenants' workers last had one. */
  servedLastSeen(): string {
    return `${this.#namespace}:served-last-seen`;
  }

  /** Domains of tenants' workers that may hold calls, by when one was last accepted. */
  busyDomains(): string {
    return `${this.#namespace}:busy-domains`;
  }

  /** What the names of all keys of flows begin with: one slot, since a call may have to pass several. */
  flowSlot(): string {
    return inSlot(this.#namespace, 'flow', '');
  }

  /** Is there once a call had to pass a flow, in any gateway. */
  flowsPassed(): string {
    return `${this.flowSlot()}passed`;
  }

  /** The name of a flow in Redis: of a tenant, or of the operator where that is empty. No other has it. */
  flow(owner: string, name: string): string {
    return `${opaque(owner)}/${name}`;
  }

  /** The name of the flow that the contract of a tool brings, in a tenant. */
  contractFlow(tenant: string, tool: string): string {
    return `${opaque(tenant)}/=${opaque(tool)}`;
  }

  /** The line of a key in a flow. */
  flowLine(flow: string, key: string): string {
    return `${flow}/${opaque(key)}`;
  }

  /** What the names of all keys of a tenant's budgets begin with; each has one for every period. */
  budgetSlot(tenant: string): string {
    return `{${this.#namespace}:budgets:${opaque(tenant)}}:`;
  }

  /** The counters that were once filled from the history. */
  budgetsKnown(tenant: string): string {
    return `${this.budgetSlot(tenant)}known`;
  }

  /** Calls for which room is held in budgets. */
  budgetsHeld(tenant: string): string {
    return `${this.budgetSlot(tenant)}held`;
  }

  /** That work which no caller asked for is counted. */
  budgetCounted(tenant: string, jobId: string): string {
    return `${this.budgetSlot(tenant)}counted:${jobId}`;
  }

  /** Channel on which a gateway gets what workers that are connected to it sent to another. */
  workerMessages(gatewayId: string): string {
    return `${this.#namespace}:worker-messages:${gatewayId}`;
  }

  mcpCall(parts: readonly string[]): string {
    return `${this.#namespace}:mcp-call:${opaque(JSON.stringify(parts))}`;
  }

  /** What an MCP client of the older revisions has subscribed to. */
  mcpSubscriptions(parts: readonly string[]): string {
    return `${this.#namespace}:mcp-subscriptions:${opaque(JSON.stringify(parts))}`;
  }

  /** Resources of outside servers that somebody of a tenant listens for, and the tenants that do. */
  watchedResources(tenant: string): string {
    return `${this.#namespace}:watched:resources:${opaque(tenant)}`;
  }

  watchingTenants(): string {
    return `${this.#namespace}:watched:tenants`;
  }

  /** The worker that has subscribed to the resources of an outside server, with the account of one caller or with none. */
  watcherOf(watchedKey: string): string {
    return `${this.#namespace}:watched:by:${opaque(watchedKey)}`;
  }

  /** Channel on which the gateway that asked a client waits for the answer. */
  mcpAnswer(parts: readonly string[]): string {
    return `${this.#namespace}:mcp-answer:${opaque(JSON.stringify(parts))}`;
  }

  /** Spans of many traces of a tenant. Each list has a slot of its own, so a cluster spreads them. */
  traces(tenant: string, bucket: number): string {
    return `{${this.#namespace}:traces:${opaque(tenant)}:${bucket}}`;
  }

  /** The tenants that have such lists, by when one was last written to. */
  traceTenants(): string {
    return `{${this.#namespace}:traces:tenants}`;
  }

  /** Trace ids that a caller chose, with the traces that they stand for. */
  traceAliases(principal: string): string {
    return `${this.#namespace}:trace-aliases:${opaque(principal)}`;
  }

  callsOfSecond(principal: string, credentialId: string): string {
    return `${this.#callsOf(principal)}:second:${opaque(credentialId)}`;
  }

  callsOfDay(principal: string, day: string): string {
    return `${this.#callsOf(principal)}:day:${day}`;
  }

  /** One caller's counters share a slot. */
  #callsOf(principal: string): string {
    return `{${this.#namespace}:calls:${opaque(principal)}}`;
  }
}
