/** What follows from an object that never changes: made when it is first asked for. */
export function memoized<Key extends WeakKey, Value>(cache: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  const found = cache.get(key);
  if (found !== undefined) return found;
  const made = make();
  cache.set(key, made);
  return made;
}
