/** A whole number with separators, such as `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

/** A size with its decimal unit, such as `51.5 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1_000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  return `${(bytes / 1_000 ** power).toFixed(power ? 1 : 0)} ${units[power]}`;
}
