// Lists of tools as bytes: made once for each view of a catalog, and sent as often as they are asked for. The SDK would write each anew,
// and a client may ask for a hundred of them in one message.
import { randomUUID } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/server';
import { memoized, type ToolContract } from '#lib/contracts';
import type { ToolDirectory } from '../../calls/tool-directory.js';
import { KeptTexts } from '../../http/kept-texts.js';
import { searchTools } from './tool-search.js';
import type { McpView } from './view.js';

/** Stands in an answer of the SDK where the entries of the list belong. No text of anybody else has this name. */
export const listStandIn: Tool = { name: `list-${randomUUID()}`, inputSchema: { type: 'object' } };
const written = JSON.stringify(listStandIn);
const definitions = {
  envelope: new WeakMap<ToolContract, string>(),
  data: new WeakMap<ToolContract, string>(),
  text: new WeakMap<ToolContract, string>(),
};

/** What the SDK wrote, with the entries in each place that stands for them. Their bytes are the same ones each time: nobody changes them. */
export function withLists(text: string, entries: () => Buffer): readonly Buffer[] {
  const [first = '', ...rest] = text.split(written);
  const parts = rest.flatMap((part) => {
    const list = entries();
    return [list, Buffer.from(list.length === 0 && part.startsWith(',') ? part.slice(1) : part)];
  });
  return [Buffer.from(first), ...parts];
}

/** The lists of all views that are asked for. */
export class ToolLists {
  readonly #kept = new KeptTexts();

  /** The entries of `tools/list` as JSON, with commas between them: in one page, sorted by name. */
  of({ catalog, offered }: Pick<ToolDirectory, 'catalog' | 'offered'>, view: McpView): Buffer {
    // Between two changes of the catalog, tools only come to their end: how many are left says which.
    return this.#kept.of(catalog.tools, `${offered.length} ${view.name}`, () => {
      if (view.searches) return searchTools.map((tool) => JSON.stringify(tool)).join();
      const shown = offered.filter((contract) => view.shows(contract));
      return shown.map((one) => memoized(definitions[view.form], one, () => JSON.stringify(view.definition(one)))).join();
    }).bytes;
  }
}
