import { Failure, type AskedQuestion } from '#lib/handlers';
import type { Sealer } from '#lib/transport';
import { askedRow, type AskedCall } from './input-row.js';
import type { InputStore } from './input-store.js';

interface QuestionsParts {
  readonly store: Pick<InputStore, 'create'>;
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
  async ask(call: AskedCall, { id, message, schema, until }: AskedQuestion): Promise<void> {
    const { store, sealer, now } = this.#parts;
    const [createdAt, ends] = [Math.floor(now()), Math.floor(until)];
    const row = askedRow(sealer, call, { id, kind: 'question', message, selfDecides: true, createdAt, until: ends });
    await store.create({ ...row, schema: JSON.parse(JSON.stringify(schema)) }).catch((cause: unknown) => {
      throw new Failure('network', 'The question cannot be put at the moment', { cause });
    });
  }
}
