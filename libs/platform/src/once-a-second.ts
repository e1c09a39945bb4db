/** Lets one report a second through: a lost connection repeats itself without end. */
export function onceASecond<T>(report: (value: T) => void): (value: T) => void {
  let last = 0;
  return (value) => {
    if (Date.now() - last < 1_000) return;
    last = Date.now();
    report(value);
  };
}
