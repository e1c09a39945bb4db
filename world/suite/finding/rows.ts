import { z } from 'zod';
import { must } from '#lib/testing';
import type { Place } from '../place.js';
import type { Row } from '../row.js';
import { register } from '../servers/registered.js';
import { stdioRows } from '../servers/stdio-rows.js';
import { requests } from './requests.js';

const shown = 5;
const least = 0.9;
const found = z.looseObject({ tools: z.array(z.looseObject({ name: z.string() })) });

export const findingRows: readonly Row[] = [
  {
    group: 'lists',
    name: 'tools by words',
    source: 'own',
    holds: `of ${requests.length} requests in words, at least ${least * 100} % find a right tool among the first ${shown} of all that the servers over stdio have`,
    short: false,
    commands: Object.assign({}, ...stdioRows.map(({ commands }) => commands)),
    attempt: async (place) => {
      const names = await namesHere(place);
      const hits = await Promise.all(
        requests.map(async ([request, right]) =>
          placeOf(
            place,
            request,
            right.map((tool) => names.get(tool)),
          ),
        ),
      );
      const [first, among] = [hits.filter((hit) => hit === 0).length, hits.filter((hit) => hit >= 0).length];
      const share = (count: number): string => (count / requests.length).toFixed(3);
      const missed = requests.filter((_, at) => (hits[at] ?? -1) < 0).map(([request]) => request);
      must(among / requests.length >= least, `${share(among)} found; not: ${missed.join('; ')}`);
      return `${names.size} tools; a right one first ${share(first)}, among ${shown} ${share(among)}`;
    },
  },
];

/** The name here of each tool, by `server:tool`. */
async function namesHere(place: Place): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const server of stdioRows.flatMap(({ commands = {} }) => Object.keys(commands))) {
    const { served } = await register(place, { name: server, stdio: server, timeout_ms: 60_000 });
    for (const { tool, name } of served) names.set(`${server}:${tool}`, name);
  }
  return names;
}

/** The place of the first right tool; −1 where none is shown. */
async function placeOf({ user }: Place, request: string, right: readonly (string | undefined)[]): Promise<number> {
  const { tools } = (await user.get(`/tools?query=${encodeURIComponent(request)}&limit=${shown}`)).as(found);
  return tools.findIndex(({ name }) => right.includes(name));
}
