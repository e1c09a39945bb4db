import { parseAgentOutput } from '#lib/contracts';
import type { Pace } from '../pace.js';
import { OutputWriter } from './output-writer.js';
import { Turn, type TurnContext, type TurnInput, type TurnOutput, type TurnServices } from './turn.js';

/** Runs the turns of this process. */
export class Turns {
  readonly #services: TurnServices & { readonly pace: Pace };

  constructor(services: TurnServices & { readonly pace: Pace }) {
    this.#services = services;
  }

  /** Answers one message. An attempt that was cut off goes on where its log ends. Throws what `Turn.run` throws. */
  async run(input: TurnInput, context: TurnContext): Promise<TurnOutput> {
    const { pace } = this.#services;
    using _open = pace.open();
    const earlier = (await context.earlierOutput()).map(parseAgentOutput);
    const writer = new OutputWriter(context.output, () => pace.intervalMs);
    // Awaited here: the turn is open until it has ended.
    return await new Turn(this.#services, { input, context, earlier, writer }).run();
  }
}
