import { OverLimit, Sandbox, timeFor, type Input } from '#lib/sandbox';
import { Rejection } from '../rejection.js';
import type { textWork } from './text-work.js';

type Work = typeof textWork;

interface TextCall {
  readonly tenant: string;
  readonly signal: AbortSignal;
  /** The length of all texts together; it decides the time that they may take. */
  readonly chars: number;
  /** What the caller can change if they take longer: `'files': import fewer at once`. */
  readonly advice: string;
}

/** Works on texts in processes of their own: a text can be written so that its parser takes minutes. */
export class Texts {
  readonly #sandbox: Sandbox<Work>;

  /** @param root the folder that contains `dist` and `node_modules` */
  constructor(root: string) {
    this.#sandbox = new Sandbox({ root, entry: 'dist/apps/memotree-worker/src/text/text-process.js' });
  }

  /** @throws Rejection INVALID_PARAMS for texts that take more time or memory than texts of their length may; TooManyWaiting */
  async run<Name extends keyof Work>(
    name: Name,
    input: Input<Work[Name]>,
    { tenant, signal, chars, advice }: TextCall,
  ): Promise<Awaited<ReturnType<Work[Name]>>> {
    try {
      return await this.#sandbox.run(name, input, { tenant, signal, timeMs: timeFor(chars) });
    } catch (error) {
      if (error instanceof OverLimit) throw new Rejection('INVALID_PARAMS', `Reading the text ${error.message}. Change ${advice}`);
      throw error;
    }
  }

  close(): void {
    this.#sandbox.close();
  }
}
