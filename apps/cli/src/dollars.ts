/** Millionths of a US dollar as dollars: `1.25`, `0.000004`. At least two decimals, and none that says nothing. */
export function dollars(micros: number): string {
  return (micros / 1_000_000).toFixed(6).replace(/0{1,4}$/, '');
}
