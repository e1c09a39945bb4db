/** What must hold of a system under test does not. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** Throws Broken if something does not hold. @param otherwise what was seen instead */
export function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new Broken(otherwise);
}
