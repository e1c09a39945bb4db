import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import {
  invalidField,
  isJsonObject,
  checkedContent,
  hasScope,
  principal,
  redactWhole,
  relayedAnswer,
  Refusal,
  validateInput,
  type Caller,
  type Decision,
  type InputDecision,
  type InputRequest,
} from '#lib/contracts';
import type { AccountName } from '#lib/accounts';
import { maxInlineBytes, type OpenedAddress, sealedArguments, type CallHead, type CallRecord, SharedClock } from '#lib/transport';
import { authorise } from '../calls/authorise.js';
import { Calls } from '../calls/calls.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { Hooks } from './hooks.js';
import { stored } from '../http/stored.js';
import { ConnectionLinks } from '../calls/waiting/connection-links.js';
import { isInputId, openedArguments, openedRequest, schemaOf, shownInputRequest, type InputRow } from '../calls/waiting/input-row.js';
import { InputStore, type InputPlace, type InputSelection, type Settlement } from '../calls/waiting/input-store.js';
import { settlementOf, stateAfter } from '../calls/waiting/settlement.js';
import { WaitingTurns } from '../calls/waiting/waiting-turns.js';
import { Stores } from '../stores.js';
import { unmasked } from './edited-arguments.js';
import { deciderFault } from './may-decide.js';

const unreachable = 'The input requests cannot be reached at the moment';
/** After a decision has begun, when a sweeper looks what became of it. */
const decidedWithinMs = 5_000;

/** What is asked of people while calls rest, and what they say to it. The record of a call decides every race; a row follows it. */
@Injectable()
export class InputRequests implements OnModuleInit {
  constructor(
    private readonly stores: Stores,
    private readonly inputs: InputStore,
    private readonly turns: WaitingTurns,
    private readonly calls: Calls,
    private readonly hooks: Hooks,
    private readonly tools: ToolDirectory,
    private readonly links: ConnectionLinks,
    @Inject(SharedClock) private readonly clock: Pick<SharedClock, 'now'>,
  ) {}

  /** Hears from outside servers. */
  onModuleInit(): void {
    const { outside, log } = this.stores;
    outside.onOpened((opened) => {
      this.opened(opened).catch((err: unknown) => {
        log.warn({ event: 'inputs-fault', err }, 'calls that wait for an address could not be told');
      });
    });
  }

  /** Newest first. One that has come to its end a moment ago may be among the open ones, with the state that it has. */
  async page(selection: Omit<InputSelection, 'now'>, after: InputPlace | null, most: number): Promise<readonly InputRow[]> {
    return stored(unreachable, () => this.inputs.page({ ...selection, now: this.clock.now() }, after, most));
  }

  /** Throws RESOURCE_NOT_FOUND, the same for none and for one that the caller may not see. */
  async find(caller: Caller, id: string): Promise<InputRow> {
    const row = isInputId(id) ? await stored(unreachable, () => this.inputs.byId(id)) : null;
    const isSeen = row?.tenantId === caller.tenantId && (row.requestedBy === principal(caller) || hasScope(caller, 'approvals'));
    const settled = row && isSeen ? await this.settled(row) : null;
    if (settled) return settled;
    throw new Refusal('RESOURCE_NOT_FOUND', 'There is no such input request; see GET /input-requests');
  }

  /** @param caller who sees it */
  shown(row: InputRow, caller: Caller): InputRequest {
    const { sealer } = this.stores;
    const isOwn = row.requestedBy === principal(caller);
    return shownInputRequest(row, { sealer, now: this.clock.now(), addressOf: isOwn ? (id) => this.links.addressOf(id) : null });
  }

  /** Goes on with the calls that wait for an account which is connected now. */
  async connected({ tenantId, owner, provider }: AccountName): Promise<void> {
    await this.#fulfil(await stored(unreachable, () => this.inputs.openConnections({ tenantId, owner, provider })));
  }

  /** The same of calls that wait until somebody is done at an address, as its server says. Each gateway hears it, and the first does it. */
  async opened({ tenant: tenantId, server, elicitationId }: OpenedAddress): Promise<void> {
    const { sealer } = this.stores;
    const rows = await stored(unreachable, () => this.inputs.openRequestsOf({ tenantId, server }));
    const meant = rows.filter((row) => {
      const request = openedRequest(sealer, row);
      return request?.method === 'elicitation/create' && request.params.elicitationId === elicitationId;
    });
    await this.#fulfil(meant, `${server} says that it is done`);
  }

  async #fulfil(rows: readonly InputRow[], reason?: string): Promise<void> {
    const { log } = this.stores;
    for (const row of rows) {
      const decision = {
        request: row.id,
        action: 'accept',
        by: row.requestedBy,
        at: Math.floor(this.clock.now()),
        ...(reason && { reason }),
      } as const;
      await this.#noted(row, decision).catch((err: unknown) => {
        if (!(err instanceof Refusal)) log.warn({ event: 'inputs-fault', err }, 'a call that waits for its user could not be told');
      });
    }
  }

  /**
   * Decides. Throws RESOURCE_NOT_FOUND, PERMISSION_DENIED, CONFLICT where it was decided, EXPIRED after its end, and INVALID_PARAMS for other
   * parameters that the contract does not take, or content that is not what the question asks for.
   */
  async decide(caller: Caller, id: string, said: InputDecision): Promise<InputRow> {
    const row = await this.find(caller, id);
    this.#refuseEnded(row);
    const { action, content, reason } = said;
    const fault = deciderFault(caller, row, action);
    if (fault) throw fault;
    if (content !== undefined && action !== 'accept') throw invalidField('content', 'is for accept alone');
    const [by, at] = [principal(caller), Math.floor(this.clock.now())];
    const decision: Decision = { request: row.id, action, by, at, ...(reason && { reason }) };
    if (row.kind === 'connection' && action === 'accept') await this.#requireAccount(row);
    return this.#noted(row, decision, content);
  }

  /** Throws CONFLICT: the account itself is the yes. */
  async #requireAccount({ tenantId, requestedBy: owner, provider, scopes }: InputRow): Promise<void> {
    const found = provider === null ? null : await this.stores.accounts.accounts.access({ tenantId, owner, provider, scopes });
    if (found?.kind === 'access') return;
    throw new Refusal(
      'CONFLICT',
      `${found?.message ?? 'Connect the account'}: open the url of the input request; the call goes on then by itself`,
    );
  }

  async #noted(row: InputRow, decision: Decision, content?: InputDecision['content']): Promise<InputRow> {
    const { store, log } = this.stores;
    const { action, by, at, reason } = decision;
    const approved = row.kind === 'approval' ? await this.#approve(row, decision, content) : await this.#answer(row, decision, content);
    const settlement = { state: stateAfter[action], by, at, reason: reason ?? null, ...approved };
    await store
      .read(row.jobId)
      .then(async (record) => this.#settle(row, settlement, record))
      .catch((error: unknown) => log.warn({ event: 'inputs-fault', err: error }, 'a decision could not be noted; a sweeper does it'));
    return after(row, settlement);
  }

  /** Wakes the call with the decision. @returns what was approved, where that is something else than was asked for */
  async #approve(row: InputRow, decision: Decision, content: InputDecision['content']) {
    const { store } = this.stores;
    const record = await store.read(row.jobId);
    if (record?.rest?.inputRequest !== row.id) throw this.#lost(await this.#reread(row));
    if (decision.action === 'accept') await this.#refuseLeft(record);
    const changed = content === undefined ? null : await this.#changed(row, record, { content, by: decision.by });
    await this.#begin(row, decision);
    const isDecided = await this.calls.decide(record, { ...decision, ...(changed && { edited: true }) }, changed?.head);
    if (!isDecided) throw this.#lost(await this.#reread(row));
    return changed && { edited: true, arguments: changed.shown };
  }

  /** Throws CONFLICT where nobody wants the call any more: the code that made it has ended, and may have been cancelled. */
  async #refuseLeft({ head: { caller } }: CallRecord): Promise<void> {
    if (!caller.byCode || caller.turnId === undefined) return;
    const code = await this.stores.store.read(caller.turnId);
    if (code && !code.ending) return;
    throw new Refusal('CONFLICT', 'The code that made this call has ended, so nobody waits for it: cancel it');
  }

  /** Gives the answer to the handler that asks. */
  async #answer(row: InputRow, decision: Decision, given: InputDecision['content']): Promise<null> {
    const { store } = this.stores;
    const { action } = decision;
    const asks = row.kind === 'question' && action === 'accept';
    const answer = asks ? { action, content: this.#contentOf(row, given ?? {}) } : { action };
    const name = [...(await store.steps.earlier(row.jobId))].find(([, step]) => 'id' in step && step.id === row.id)?.[0];
    await this.#begin(row, decision);
    const isFirst = name !== undefined && (await this.hooks.answer({ jobId: row.jobId, name }, answer, decision));
    if (!isFirst) throw this.#lost(await this.#reread(row));
    return null;
  }

  /** Throws INVALID_PARAMS. */
  #contentOf(row: InputRow, given: Record<string, unknown>): Record<string, unknown> {
    const request = openedRequest(this.stores.sealer, row);
    return request ? relayedAnswer(request, given) : checkedContent(schemaOf(row) ?? {}, given);
  }

  /** Whoever dies from here on leaves a row that a sweeper compares with the record. */
  async #begin(row: InputRow, { at }: Decision): Promise<void> {
    await stored(unreachable, () => this.inputs.lookAt(row.id, new Date(at + decidedWithinMs)));
  }

  /** The row as the record of its call has it; null where the call was never accepted. Rejects when Redis or Postgres is away. */
  async settled(row: InputRow): Promise<InputRow | null> {
    if (row.state !== 'open') return row;
    const { store } = this.stores;
    const record = await store.read(row.jobId);
    const found = settlementOf(row, record, this.clock.now());
    switch (found.kind) {
      case 'open': {
        const lookAt = new Date(found.lookAt);
        if (row.lookAt && row.lookAt.getTime() <= this.clock.now()) await stored(unreachable, () => this.inputs.lookAt(row.id, lookAt));
        return row;
      }
      case 'unknown':
        await stored(unreachable, () => this.inputs.remove(row.id));
        return null;
      case 'settled': {
        const settlement = { ...found.as, ...(found.as.edited && record && { arguments: this.#maskedOf(row, record.head) }) };
        await this.#settle(row, settlement, record);
        return after(row, settlement);
      }
    }
  }

  /** Notes how it came to its end. The turn that waits for it is told first: whoever dies between the two leaves a row that a sweeper settles. */
  async #settle({ id }: InputRow, settlement: Settlement, record: CallRecord | null): Promise<void> {
    if (record) await this.turns.tell(id, record.head.caller);
    await stored(unreachable, () => this.inputs.settle(id, settlement));
  }

  async #reread(row: InputRow): Promise<InputRow> {
    const again = (await stored(unreachable, () => this.inputs.byId(row.id))) ?? row;
    return (await this.settled(again)) ?? again;
  }

  #seen(row: InputRow): InputRequest {
    const { sealer } = this.stores;
    return shownInputRequest(row, { sealer, now: this.clock.now(), addressOf: null });
  }

  #refuseEnded(row: InputRow): void {
    const { state } = this.#seen(row);
    if (state !== 'open') throw this.#lost(row);
  }

  /** It was decided, or its time is over. */
  #lost(row: InputRow): Refusal {
    const { state, decided_by, decided_at, reason } = this.#seen(row);
    if (state === 'expired' || state === 'open') return new Refusal('EXPIRED', 'Nobody decided in time; make the call again');
    const how = decided_by === null ? state : `${state} by ${decided_by}`;
    return new Refusal('CONFLICT', `The input request is decided already: ${how}`, { extra: { state, decided_by, decided_at, reason } });
  }

  /** The call with the parameters that a person sends instead. They are checked as those of its caller were. */
  async #changed(row: InputRow, { head }: CallRecord, { content, by }: { readonly content: Record<string, unknown>; readonly by: string }) {
    const { store, sealer } = this.stores;
    const { arguments: given, ...others } = content;
    const [other] = Object.keys(others);
    if (other !== undefined) throw invalidField(`content.${other}`, 'is unknown; an approval takes arguments');
    if (given === undefined) return null;
    if (!isJsonObject(given)) throw invalidField('content.arguments', 'must be an object');
    const contract = this.tools.contractOf(head);
    if (!contract) throw new Refusal('CONFLICT', `The tool ${head.tool} is gone; its parameters cannot be checked`);
    const { input: filled, left } = unmasked(given, await store.parametersOf(head), openedArguments(sealer, row));
    const [masked] = left;
    if (masked !== undefined) throw invalidField(`content.arguments.${masked}`, 'is masked where nothing was; give the value');
    const input = validateInput(contract, filled);
    authorise(head.caller, contract, input);
    const { body: _body, ...kept } = head;
    const changed: CallHead = { ...kept, v: 1, input, editedBy: by };
    if (Buffer.byteLength(JSON.stringify(changed)) > maxInlineBytes)
      throw new Refusal('PAYLOAD_TOO_LARGE', `Changed parameters may have ${maxInlineBytes} bytes with their call`);
    return { head: changed, shown: this.#maskedOf(row, changed) };
  }

  /** Null where they cannot be shown. */
  #maskedOf(row: InputRow, head: CallHead): string | null {
    const contract = this.tools.contractOf(head);
    return contract ? sealedArguments(this.stores.sealer, row, redactWhole(contract.input, head.input)) : null;
  }
}

function after(row: InputRow, { state, by, at, reason, edited = false, arguments: approved }: Settlement): InputRow {
  return { ...row, state, decidedBy: by, decidedAt: new Date(at), reason, edited, ...(approved !== undefined && { arguments: approved }) };
}
