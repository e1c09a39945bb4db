// The lines of a chart, as somebody reads them who goes over it with the pointer.
import type { Page } from 'playwright-core';

/** What stands above a chart at one moment: each line's value by its name. */
export interface Point {
  readonly at: string;
  readonly values: Readonly<Record<string, string>>;
}

/** @param label of the chart @param points that it has, of which the last ones are read */
export async function pointsOf(
  page: Page,
  label: string,
  points: { readonly all: number; readonly last: number },
): Promise<readonly Point[]> {
  const panel = page.locator('section.panel', { has: page.getByRole('img', { name: label, exact: true }) });
  const over = panel.locator('.u-over');
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  if (!box) throw new Error(`${label} is not drawn`);
  const read: Point[] = [];
  for (let index = points.all - points.last; index < points.all; index++) {
    // The right edge is outside.
    await page.mouse.move(box.x + Math.min((box.width * index) / (points.all - 1), box.width - 1), box.y + box.height / 2);
    const time = panel.locator('.legend > .faint');
    await time.waitFor();
    // Both at one moment: a live chart goes on.
    const [at = '', ...lines] = await panel
      .locator('.legend')
      .evaluate(({ children }) => [...children].toReversed().map(({ textContent }) => textContent.trim()));
    const values = lines.map((line) => line.split(/\s+/)).map(([name = '', ...value]) => [name, value.join(' ')] as const);
    read.push({ at, values: Object.fromEntries(values) });
  }
  return read;
}
