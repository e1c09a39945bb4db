/** Compares two versions by number, for sorting: negative when `a` is older. Contract versions have three numbers and no labels. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  return [0, 1, 2].reduce((order, place) => order || (left[place] ?? 0) - (right[place] ?? 0), 0);
}
