import { Failure } from '#lib/handlers';
import { askedRow, requestPurpose, storeAsked, type AskedStore, type Sealer } from '#lib/transport';
import type { AskCaller } from './attempt-records.js';

interface QuestionsParts extends AskedStore {
  readonly sealer: Pick<Sealer, 'sealText'>;
  /** Epoch ms, the same for all processes. */
  readonly now: () => number;
}

/** What tools ask the callers of their calls, of the product and of tenants. */
export class Questions {
  readonly #parts: QuestionsParts;

  constructor(parts: QuestionsParts) {
    this.#parts = parts;
  }

  /** Puts a question, before its call rests for it: one that rests can always be answered. Throws a Failure when Postgres is away. */
  readonly ask: AskCaller = async (call, { id, message, schema, request, until }) => {
    const { sealer, now } = this.#parts;
    const [createdAt, ends] = [Math.floor(now()), Math.floor(until)];
    const row = askedRow(sealer, call, { id, kind: 'question', message, selfDecides: true, createdAt, until: ends });
    // What is said to the model of a caller is for nobody else.
    const sealed = request && { request: sealer.sealText(JSON.stringify(request), requestPurpose(row)) };
    await storeAsked(this.#parts, { ...row, ...sealed, schema: JSON.parse(JSON.stringify(schema)) }).catch((cause: unknown) => {
      throw new Failure('network', 'The question cannot be put at the moment', { cause });
    });
  };
}
