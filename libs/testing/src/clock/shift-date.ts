// Moves the time that this process reads from `Date`. Monotonic clocks (`performance.now`) and timers are not touched.

const RealDate = Date;
/** Epoch ms, whatever the offset. */
export const realNow = Date.now;
let offsetMs = 0;

const now = (): number => realNow() + offsetMs;

// A proxy and not a subclass: `instanceof Date` must hold for dates from before and after the shift.
const ShiftedDate: DateConstructor = new Proxy(RealDate, {
  construct: (target, values: readonly unknown[], newTarget): Date =>
    Reflect.construct(target, values.length > 0 ? values : [now()], newTarget === ShiftedDate ? target : newTarget),
  apply: () => new RealDate(now()).toString(),
});

/**
 * Lets `Date.now()`, `new Date()` and `Date()` give the real time plus an offset, from now on and whoever has kept a reference to them
 * since the first call. Dates made from given values (`new Date(0)`, `Date.parse`, `Date.UTC`) stay as they are.
 * @param ms whole milliseconds; replaces an earlier offset, and 0 gives the real time
 */
export function shiftDate(ms: number): void {
  if (!Number.isSafeInteger(ms)) throw new RangeError(`the offset must be whole milliseconds, not ${ms}`);
  offsetMs = ms;
  RealDate.now = now;
  globalThis.Date = ShiftedDate;
}

/** Puts back what `shiftDate` has replaced. References that were kept meanwhile give the real time. */
export function restoreDate(): void {
  offsetMs = 0;
  RealDate.now = realNow;
  globalThis.Date = RealDate;
}
