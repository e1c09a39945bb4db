import { principal, redactWhole, type ToolContract } from '#lib/contracts';
import { Failure, type AskedQuestion } from '#lib/handlers';
import type { InvocationHead, Sealer } from '#lib/transport';
import { acceptedWithinMs } from './approvals.js';
import { sealedArguments } from './input-row.js';
import type { InputStore } from './input-store.js';

/** A call whose tool asks. */
interface AskingCall {
  readonly jobId: string;
  readonly head: InvocationHead;
  readonly contract: ToolContract;
}

interface QuestionsParts {
  readonly store: Pick<InputStore, 'createOnce'>;
  readonly sealer: Pick<Sealer, 'sealText'>;
  /** Epoch ms, the same for all processes. */
  readonly now: () => number;
}

/** What tools ask the callers of their calls. */
export class Questions {
  readonly #parts: QuestionsParts;

  constructor(parts: QuestionsParts) {
    this.#parts = parts;
  }

  /** Puts a question, before its call rests for it: one that rests can always be answered. Throws a Failure when Postgres is away. */
  async ask({ jobId, head, contract }: AskingCall, { id, message, schema, until }: AskedQuestion): Promise<void> {
    const { store, sealer, now } = this.#parts;
    const row = { id, tenantId: head.caller.tenantId };
    const createdAt = Math.floor(now());
    await store
      .createOnce({
        ...row,
        jobId,
        kind: 'question',
        tool: head.tool,
        message,
        schema: JSON.parse(JSON.stringify(schema)),
        arguments: sealedArguments(sealer, row, redactWhole(contract.input, head.input)),
        requestedBy: principal(head.caller),
        selfDecides: true,
        createdAt: new Date(createdAt),
        expiresAt: new Date(Math.floor(until)),
        lookAt: new Date(createdAt + acceptedWithinMs),
      })
      .catch((cause: unknown) => {
        throw new Failure('network', 'The question cannot be put at the moment', { cause });
      });
  }
}
