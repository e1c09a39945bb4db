import { parseAgentOutput } from '#lib/contracts';
import { OutputWriter, writeIntervalMs } from './output-writer.js';
import { Turn, type TurnContext, type TurnInput, type TurnOutput, type TurnServices } from './turn.js';

/** Runs the turns of this process. The more turns are open, the less often each writes its output. */
export class Turns {
  readonly #services: TurnServices;
  #open = 0;

  constructor(services: TurnServices) {
    this.#services = services;
  }

  /** Answers one message. A run that was cut off goes on where its log ends. Throws what `Turn.run` throws. */
  async run(input: TurnInput, context: TurnContext): Promise<TurnOutput> {
    this.#open += 1;
    try {
      const earlier = (await context.earlierOutput()).map(parseAgentOutput);
      const writer = new OutputWriter(context.output, () => writeIntervalMs(this.#open));
      return await new Turn(this.#services, { input, context, earlier, writer }).run();
    } finally {
      this.#open -= 1;
    }
  }
}
