import { Injectable } from '@nestjs/common';
import { redact, Refusal, type Caller, type Rest, type ToolContract, type WaitsInLine } from '#lib/contracts';
import type { Entered, CallHead, LetGo, LinePlace } from '#lib/transport';
import { lookedCall } from '../call-conditions.js';
import { ExpressionError } from '../../tenants/expression.js';
import { withinTime } from '../../tenants/within-time.js';
import { Stores } from '../../stores.js';
import { flowOfContract, FlowDirectory, type PassedFlow } from './flow-directory.js';

/** A line that a call has to pass, as its record has it. */
type LineOfCall = NonNullable<CallHead['lines']>[number];

type CalledHead = Pick<CallHead, 'tool' | 'version' | 'caller'>;

/** A call that asks for its places. */
interface PlacedCall {
  readonly jobId: string;
  readonly head: CalledHead & Pick<CallHead, 'lines'>;
}

/** The most characters of a key that people are shown. */
const mostShown = 64;
const noKey = 'none';
/** A process that has to wait for a processor may need more time than it works. */
const mostTries = 3;
/** From its question to its record a call takes less. */
const slowMs = 1_000;

/** What flows say of a call: the lines that it has to pass, its places there, and where it stands. */
@Injectable()
export class CallFlows {
  /** Calls that this process has accepted, or let go: it hears when they end. */
  readonly #followed = new Set<string>();
  #onLetGo: (letGo: LetGo) => void = () => undefined;
  #onSlow: (jobId: string) => void = () => undefined;

  constructor(
    private readonly stores: Stores,
    private readonly directory: FlowDirectory,
  ) {}

  /** Has this told of the calls that may go because another one came or left. */
  onLetGo(listener: (letGo: LetGo) => void): void {
    this.#onLetGo = listener;
  }

  /** Has this told of calls that may have had their turn before they were there. */
  onSlow(listener: (jobId: string) => void): void {
    this.#onSlow = listener;
  }

  /** The lines that a call has to pass; undefined for none. @param input valid parameters @param call.now epoch ms. Throws NETWORK_ERROR or OVERLOADED. */
  of(
    contract: ToolContract,
    input: Readonly<Record<string, unknown>>,
    call: { readonly caller: Caller; readonly now: number },
  ): CallHead['lines'] {
    const tenant = call.caller.tenantId;
    const met = this.directory.met(tenant);
    if (met.length === 0 && !contract.flow) return undefined;
    const flows = this.#passed(contract, tenant);
    if (flows.length === 0) return undefined;
    const when = { caller: call.caller, now: new Date(call.now) };
    const looked = lookedCall(contract, input, when);
    // What nobody may see of parameters, nobody may see of a key.
    const seen = flows.some(({ key }) => key) ? lookedCall(contract, shownOf(contract, input), when) : looked;
    return flows.map((flow) => {
      const key = valueOf(flow, looked);
      const line = this.stores.keys.flowLine(flow.id, key === null ? noKey : `=${key}`);
      return { line, flow: flow.id, of: wordsOf(flow, key === null ? null : valueOf(flow, seen)), paced: flow.bounds.rate !== null };
    });
  }

  /** Before a call is accepted or let go here that has to pass flows. Rejects when Redis is away. */
  async follow(jobId: string): Promise<void> {
    await this.stores.flowLines.pass();
    this.#followed.add(jobId);
  }

  /** It waits in its line, and is there now. @param askedMs how long ago it asked for its places */
  rests(jobId: string, askedMs: number): void {
    if (askedMs > slowMs) this.#onSlow(jobId);
  }

  isFollowed(jobId: string): boolean {
    return this.#followed.has(jobId);
  }

  /** Asks for its places. @returns where it waits; null where it has them. Rejects when Redis is away. */
  async enter(call: PlacedCall): Promise<WaitsInLine | null> {
    const entered = await this.#enter(call);
    // Whoever asks for it is told that it has its places, and need not be woken.
    this.#onLetGo({ ...entered, granted: entered.granted.filter((jobId) => jobId !== call.jobId) });
    return entered.kind === 'held' ? null : this.#told(call.head, entered);
  }

  /** Gives them up. @param undoes true for a call that never ran */
  async leave(jobId: string, options: { readonly undoes?: boolean; readonly turn?: string } = {}): Promise<void> {
    this.#onLetGo(await this.stores.flowLines.leave(jobId, options));
    if (options.turn === undefined) this.#followed.delete(jobId);
  }

  /** The rests of calls, with where those stand now that wait in a line. Rejects when Redis is away. */
  async standing(
    calls: readonly { readonly jobId: string; readonly head: CallHead; readonly rest: Rest | null }[],
  ): Promise<ReadonlyMap<string, WaitsInLine>> {
    const waiting = calls.filter(({ rest }) => rest?.reason === 'flow');
    const places = await this.stores.flowLines.places(waiting.map(({ jobId }) => jobId));
    return new Map(
      waiting.flatMap(({ jobId, head }, index): [string, WaitsInLine][] => {
        const place = places[index];
        return place ? [[jobId, this.#told(head, place)]] : [];
      }),
    );
  }

  async #enter({ jobId, head }: PlacedCall): Promise<Entered> {
    const { caller, lines = [] } = head;
    const known = this.#known(head);
    const entered = lines.map(({ line, flow }) => ({ line, bounds: known.get(flow)?.bounds ?? null }));
    // A call that came out of a rest may be older than what Redis remembers.
    await this.stores.flowLines.pass();
    return this.stores.flowLines.enter({ jobId, tenant: caller.tenantId }, entered);
  }

  /** By their names in Redis. One that the call has to pass may be deleted by now. */
  #known(head: CalledHead): ReadonlyMap<string, PassedFlow> {
    const { tenantId } = head.caller;
    const contract = this.stores.catalog.contractOf(head);
    const flows = contract ? this.#passed(contract, tenantId) : this.directory.met(tenantId);
    return new Map(flows.map((flow) => [flow.id, flow]));
  }

  #passed(contract: ToolContract, tenant: string): readonly PassedFlow[] {
    const made = this.directory.met(tenant).filter((flow) => flow.has(contract, tenant));
    if (!contract.flow) return made;
    return [...made, flowOfContract(contract, contract.flow, this.stores.keys.contractFlow(tenant, contract.name))];
  }

  #told(head: PlacedCall['head'], { line: name, held, before }: LinePlace): WaitsInLine {
    const line = head.lines?.find((one) => one.line === name);
    const flow = line && this.#known(head).get(line.flow);
    return { name: flow?.name ?? nameIn(line), text: textOf(line, held + before, flow), place: before + 1 };
  }
}

/** A call with the place in a line where it stands now. @param places as `standing` tells them */
export function inItsPlace<Call extends { readonly jobId: string; readonly rest: Rest | null }>(
  call: Call,
  places: ReadonlyMap<string, WaitsInLine>,
): Call {
  const flow = places.get(call.jobId);
  return flow && call.rest ? { ...call, rest: { ...call.rest, flow } } : call;
}

function shownOf(contract: ToolContract, input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(Object(redact(contract.input, 'input', input))));
}

/** Null for no text. A key that works too long is in no other line: that would be no bound. Throws OVERLOADED. */
function valueOf({ key, name }: PassedFlow, looked: ReturnType<typeof lookedCall>): string | null {
  if (!key) return null;
  for (let tries = 1; ; tries++) {
    try {
      return withinTime(looked.args, () => key.of(looked));
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      if (tries < mostTries) continue;
      const message = `The key of the flow '${name}' could not be worked out for this call: it ${error.message}`;
      throw new Refusal('OVERLOADED', message, { native_code: 'FLOW', retry_after_ms: 1_000, extra: { flow: name } });
    }
  }
}

/** `account 17`, where the key is `args.account`. */
function wordsOf({ name, expression }: PassedFlow, value: string | null): string {
  if (expression === null) return `flow ${name}`;
  const label = /^(?:\w+\.)+(\w+)$/.exec(expression)?.[1] ?? 'key';
  if (value === null) return `no ${label}`;
  return `${label} ${value.length > mostShown ? `${value.slice(0, mostShown)}…` : value}`;
}

/** `waits for 2 others of account 17`. */
function textOf(line: LineOfCall | undefined, others: number, flow: PassedFlow | undefined): string {
  const of = line?.of ?? 'its flow';
  if (others > 0) return `waits for ${others} other${others === 1 ? '' : 's'} of ${of}`;
  const rate = flow?.bounds.rate;
  return rate ? `waits for its turn: ${rate.max} of ${of} may begin in ${rate.perMs} ms` : `waits for its turn of ${of}`;
}

/** Of a flow that is deleted. */
function nameIn(line: LineOfCall | undefined): string {
  return line?.flow.split('/')[1] ?? '';
}
