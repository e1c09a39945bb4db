export interface CommittedCost {
  readonly cost: number;
  /** The share by which a cost may be higher. */
  readonly tolerance: number;
}

/** A line for each cost, and the names of those that have become too high. A cost without a committed figure is too high. */
export function compare(
  committed: Readonly<Record<string, CommittedCost>>,
  costs: Readonly<Record<string, number>>,
): { readonly lines: readonly string[]; readonly tooHigh: readonly string[] } {
  const judged = Object.entries(costs).map(([name, cost]) => {
    const known = committed[name];
    const most = known ? known.cost * (1 + known.tolerance) : Number.NaN;
    // A figure that could not be had is NaN, and not within anything.
    return { name, cost, known, most, isTooHigh: !(cost <= most) };
  });
  const gone = Object.keys(committed).filter((name) => !Object.hasOwn(costs, name));
  return {
    lines: [
      `${''.padEnd(46)}     now  committed  at most`,
      ...judged.map(
        ({ name, cost, known, most, isTooHigh }) =>
          `${name.padEnd(46)}${shown(cost)}${shown(known?.cost).padStart(11)}${shown(most).padStart(9)}${isTooHigh ? '  TOO HIGH' : ''}`,
      ),
    ],
    tooHigh: [...judged.filter(({ isTooHigh }) => isTooHigh).map(({ name }) => name), ...gone],
  };
}

function shown(figure = Number.NaN): string {
  return figure.toFixed(2).padStart(8);
}
