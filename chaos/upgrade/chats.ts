// Turns of a chat all the time, at all gateways: each must be answered whole. A turn that a gateway refuses is sent to the next one.
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpCaller, ModelServer } from '#lib/testing';
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
      if (typeof turn !== 'string') this.#note(turn);
      else if (/gave no stream: 503|fetch failed/.test(turn)) this.refused += 1;
      else this.wrong.push(turn);
      await sleep(pieceMs);
    }
  }

  #note(turn: Chat): void {
    if (turn.text === text.join('')) this.answered += 1;
    else this.wrong.push(`a turn was answered "${turn.text}", ${JSON.stringify(turn.error)}`);
  }
}
