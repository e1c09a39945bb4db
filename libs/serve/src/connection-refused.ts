import { z } from 'zod';
import { jsonIn } from '#lib/contracts';

/** The gateway did not let the worker in. */
export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused';
  readonly status: number;
  /** False: connecting again would be refused again. */
  readonly retryable: boolean;
  readonly #refusal: z.output<typeof refusal>['error'] | undefined;

  constructor(status: number, body: string) {
    super(`the gateway answered ${status}: ${body.slice(0, 500)}`);
    this.status = status;
    this.retryable = status === 408 || status === 429 || status >= 500;
    this.#refusal = refusal.safeParse(jsonIn(body)).data?.error;
  }

  /** Whether it is about what was announced. Otherwise it is about the key, or there is no gateway at this address. */
  get isOfContracts(): boolean {
    return [400, 409, 413, 422].includes(this.status) || this.#refusal?.details !== undefined;
  }

  /** What the gateway said. */
  get reason(): string {
    return this.#refusal?.message ?? this.message;
  }

  /** Why one of the announced tools is not served, else why none is. @param index of the tool in the announcement */
  reasonOf(index: number): string {
    return this.#refusal?.details?.find(({ path }) => path === `tools.${index}`)?.message ?? this.reason;
  }
}

const refusal = z.object({
  error: z.object({ message: z.string(), details: z.array(z.object({ path: z.string(), message: z.string() })).optional() }),
});
