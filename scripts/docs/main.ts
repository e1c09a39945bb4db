// `npm run docs`: builds the pages of the documentation into `dist/docs`, from where the gateway serves them at `/docs`. Without a network, once
// the packages of `docs/site` are installed.
import { formatSeconds, print, runWithoutArguments } from '#lib/command-line';
import { allPages } from './all-pages.js';
import { buildSite } from './build-site.js';

const help = `Builds the pages of the documentation into dist/docs, from where the gateway serves them at /docs.

  npm run docs
`;

await runWithoutArguments(help, async () => {
  const started = performance.now();
  const pages = await allPages();
  await buildSite(pages);
  print(
    `${pages.length} pages are in dist/docs (${formatSeconds(performance.now() - started)}). A gateway that starts now serves them at /docs.`,
  );
});
