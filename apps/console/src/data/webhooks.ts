import { queries } from './queries.js';

export const webhooksKey = 'webhooks';

/** Reads all that is shown of them again. */
export function webhooksChanged(): Promise<void> {
  return queries.invalidateQueries({ queryKey: [webhooksKey] });
}
