// What a page of the console has been answered: figures that are others each time, such as how long something took.
import type { Page } from 'playwright-core';
import type { z } from 'zod';
import { eventually } from '#lib/testing';
import { shownWithin } from '../console/console-browser.js';

export class Seen {
  readonly #last = new Map<string, unknown>();

  constructor(page: Page) {
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (!response.headers()['content-type']?.startsWith('application/json')) return;
      // One whose page has gone elsewhere has no body any more.
      void response.json().then(
        (body: unknown) => this.#last.set(pathname, body),
        () => undefined,
      );
    });
  }

  /** The last answer to a path; the first, where there was none yet. */
  async last<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
    return schema.parse(await eventually(() => this.#last.get(path), shownWithin));
  }
}
