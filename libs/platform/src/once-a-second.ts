/** Lets one report a second through. A lost connection reports itself again at every retry. */
export function onceASecond<T>(report: (value: T) => void): (value: T) => void {
  let last = 0;
  return (value) => {
    if (Date.now() - last < 1_000) return;
    last = Date.now();
    report(value);
  };
}
