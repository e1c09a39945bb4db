// Turns of a chat all the time, at all gateways: each must be answered whole. A gateway that stops closes its streams, and the answer is then
// read from the conversation. A turn that a gateway refuses is sent to the next one.
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type HttpCaller, type ModelServer } from '#lib/testing';
import { chat, scripted, type Chat } from '../../test/e2e/chat-system.js';

const text = ['The ', 'answer ', 'comes ', 'in ', 'pieces.'];
const pieceMs = 200;

export class Chats implements AsyncDisposable {
  readonly #at: readonly HttpCaller[];
  readonly #model: ModelServer;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  readonly wrong: string[] = [];
  answered = 0;
  refused = 0;

  constructor(at: readonly HttpCaller[], model: ModelServer) {
    this.#at = at;
    this.#model = model;
    this.#running = this.#talk();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #talk(): Promise<void> {
    for (let number = 0; !this.#ending.signal.aborted; number += 1) {
      const caller = this.#at[number % this.#at.length];
      if (!caller) throw new RangeError('a chat needs a gateway');
      const turn = await chat(caller, { message: scripted(this.#model, { text, pieceMs }) }).catch(String);
      if (typeof turn !== 'string') await this.#note(turn, this.#at[(number + 1) % this.#at.length] ?? caller);
      else if (/gave no stream: 503|fetch failed/.test(turn)) this.refused += 1;
      else this.wrong.push(turn);
      await sleep(pieceMs);
    }
  }

  async #note(turn: Chat, other: HttpCaller): Promise<void> {
    const isStored = async (): Promise<boolean> =>
      (await other.get(`/chat/v5/conversations/${turn.conversationId}`)).text.includes(text.join(''));
    const isWhole =
      turn.text === text.join('') ||
      (await eventually(isStored, { withinMs: 30_000, what: 'the rest of the answer' }).then(
        () => true,
        () => false,
      ));
    if (isWhole) this.answered += 1;
    else this.wrong.push(`a turn was answered "${turn.text}", ${JSON.stringify(turn.error)}`);
  }
}
