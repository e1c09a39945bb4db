import { mostTogether } from '#lib/transport';
import type { Places } from './places.js';

/** The places that the turns of one partition take for jobs. */
export class TurnPlaces {
  readonly #places: Places;
  readonly #onPlace: () => void;
  /** Places that were waited for. */
  #reserved = 0;
  #isWaiting = false;

  /** @param onPlace told when there is a place again, after there was none */
  constructor(places: Places, onPlace: () => void) {
    this.#places = places;
    this.#onPlace = onPlace;
  }

  /** Takes as many as there are, up to the bound of a turn. Where there is none, one is waited for. */
  enter(): number {
    let entered = this.#reserved;
    this.#reserved = 0;
    while (entered < mostTogether && this.#places.tryEnter()) entered += 1;
    if (entered === 0) this.#await();
    return entered;
  }

  /** Gives back what was waited for and is not needed. */
  leaveReserved(): void {
    for (; this.#reserved > 0; this.#reserved--) this.#places.leave();
  }

  #await(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    void this.#places.enter().then((hasEntered) => {
      this.#isWaiting = false;
      if (!hasEntered) return;
      this.#reserved += 1;
      this.#onPlace();
    });
  }
}
