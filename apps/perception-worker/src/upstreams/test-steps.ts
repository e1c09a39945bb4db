import { answerOf, type QuestionAnswer, type KeptStep } from '#lib/contracts';
import type { AskedQuestion, StepRecords } from '#lib/handlers';

/** The steps of one call, and what its caller was asked. */
export class KeptSteps implements StepRecords {
  readonly asked: AskedQuestion[] = [];
  readonly #steps = new Map<string, KeptStep>();
  readonly now = Date.now;
  readonly earlier = async () => new Map(this.#steps);
  readonly ask = async (question: AskedQuestion) => void this.asked.push(question);
  #last = '';

  readonly keep = async (name: string, step: KeptStep) => {
    if (step.kind === 'question') this.#last = name;
    const kept = this.#steps.get(name) ?? step;
    this.#steps.set(name, kept);
    return kept;
  };

  /** The newest question. */
  answerLast(data: QuestionAnswer): void {
    this.answer(this.#last, data);
  }

  answer(name: string, data: QuestionAnswer): void {
    this.#steps.set(answerOf(name), { kind: 'answer', data });
  }
}
