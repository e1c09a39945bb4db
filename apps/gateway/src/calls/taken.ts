import { errorCodes, type ToolError } from '#lib/contracts';

/** Values in a refused body that cost as much as a plain request. */
const refusedValuesOfAPoint = 250;

/** What a request takes of its credential's allowance besides the points of its route. */
export class Taken {
  points = 0;
  /** Values in its body that nothing has been taken for yet. */
  values = 0;

  /**
   * What is refused has been read and checked, and no limit of calls has counted it. What came too fast has taken little, and would never
   * come through again if it were charged.
   */
  chargeRefusal({ family }: Pick<ToolError, 'family'>): void {
    const { http } = errorCodes[family];
    if (http >= 500 || http === 429) return;
    this.points += 1;
    this.chargeValues();
  }

  /** Takes points for the values in a body that was refused: they have been looked at several times, and each fault was told. */
  chargeValues(): void {
    this.points += Math.floor(this.values / refusedValuesOfAPoint);
    this.values = 0;
  }
}
