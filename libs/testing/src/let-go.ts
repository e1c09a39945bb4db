/**
 * Takes parts from an object that has ended. The variable of a test file lives as long as the process that runs the file, and with it all that its object
 * holds.
 */
export function letGo(ended: object, parts: readonly PropertyKey[]): void {
  for (const part of parts) Reflect.deleteProperty(ended, part);
}
