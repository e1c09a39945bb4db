// Variables whose names are nearly those of settings: a misspelt one is ignored, and whoever wrote it waits for its effect.
import { distance } from 'fastest-levenshtein';

/** The warnings, a line each. @param known the names of all settings */
export function misspeltSettings(known: readonly string[], environment: NodeJS.ProcessEnv = process.env): readonly string[] {
  const names = new Set(known);
  const strange = Object.keys(environment).filter((name) => /^[A-Z][A-Z0-9_]{4,}$/.test(name) && !names.has(name));
  return strange.flatMap((name) => {
    const meant = known.find((one) => !environment[one] && isNear(name, one));
    return meant === undefined ? [] : [`${name} is no setting; did you mean ${meant}?`];
  });
}

/** One slip in a short name, two in a long one. */
function isNear(name: string, known: string): boolean {
  const shorter = Math.min(name.length, known.length);
  return shorter >= 5 && distance(name, known) <= (shorter >= 7 ? 2 : 1);
}
