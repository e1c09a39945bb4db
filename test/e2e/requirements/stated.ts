/** A rule of a source document: M it states, S it recommends, I it mentions. */
export interface Stated {
  readonly id: string;
  readonly strength: 'M' | 'S' | 'I';
  /** The part of the product that has to hold it. A domain of the contracts, or one of the areas in `areas.ts`. */
  readonly area: string;
  readonly summary: string;
}
