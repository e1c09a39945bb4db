import type { KeptStep, ToolContract } from '#lib/contracts';
import type { AskedQuestion, Attempt } from '#lib/handlers';
import type { CallAccounts } from './call-accounts.js';
import type { AskedCall, HookKeys, CallHead, InvocationStore } from '#lib/transport';

/** Where hooks are called, and what signs their addresses. */
export interface HooksFrom {
  readonly url: string;
  readonly keys: Pick<HookKeys, 'keyOf'>;
}

/** What puts a question to the caller of a call: there is one input request for it, however often it is put. */
export type AskCaller = (call: AskedCall, question: AskedQuestion) => Promise<void>;

interface AttemptRecordsParts {
  readonly store: Pick<InvocationStore, 'steps'>;
  readonly hooks: HooksFrom | null;
  readonly ask: AskCaller | null;
  readonly accounts: Pick<CallAccounts, 'recordsOf'> | null;
  readonly head: CallHead;
  readonly contract: ToolContract;
  readonly now: () => number;
  readonly jobId: string;
  readonly attempt: number;
  /** How many steps earlier attempts have kept. */
  readonly kept: number;
  /** Of the job's lock. */
  readonly token: string;
  /** Called when the call has ended, or is in other hands. */
  readonly onUnwanted: () => void;
}

/** The steps of one attempt that are kept, and how many of them this attempt has kept itself. */
export interface AttemptRecords extends Required<Pick<Attempt, 'steps' | 'hooksAt' | 'account'>> {
  /** Whether the call has a step: an effect that is not done again. */
  readonly hasStep: () => boolean;
}

/** Where an attempt keeps its steps. It reads none before it asks for one: a call without steps makes no command more. */
export function attemptRecords({
  store,
  hooks,
  ask,
  accounts,
  head,
  contract,
  now,
  jobId,
  attempt,
  kept: before,
  token,
  onUnwanted,
}: AttemptRecordsParts): AttemptRecords {
  let hasStep = false;
  let found: Promise<ReadonlyMap<string, KeptStep>> | null = null;
  async function read(): Promise<ReadonlyMap<string, KeptStep>> {
    const earlier = before === 0 ? new Map<string, KeptStep>() : await store.steps.earlier(jobId);
    hasStep ||= [...earlier.values()].some(({ kind }) => kind === 'step');
    return earlier;
  }
  return {
    hasStep: () => hasStep,
    account: accounts?.recordsOf({ jobId, head, contract }) ?? null,
    hooksAt: () => hooks && { url: hooks.url, key: hooks.keys.keyOf(jobId) },
    steps: {
      now,
      earlier: async () => (found ??= read()),
      keep: async (name, step) => {
        const kept = await store.steps.keep({ jobId, attempt, token, name, step });
        if (!kept) onUnwanted();
        hasStep ||= kept?.kind === 'step';
        return kept;
      },
      ask: ask && (async (question) => ask({ jobId, head, contract }, question)),
    },
  };
}
