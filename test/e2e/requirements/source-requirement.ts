/** A rule of a source document: M it states, S it recommends, I it mentions. */
export interface SourceRequirement {
  readonly id: string;
  readonly strength: 'M' | 'S' | 'I';
  /** The part of the product that has to hold it. A domain of the contracts, or an entry of `builtAreas`. */
  readonly area: string;
  readonly summary: string;
}
