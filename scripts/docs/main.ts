// `npm run docs`: builds the pages of the documentation into `dist/docs`, from where the gateway serves them at `/docs`. Without a network, once
// the packages of `docs/site` are installed.
import { formatSeconds, print, runWithoutArguments } from '#lib/command-line';

const help = `Builds the pages of the documentation into dist/docs, from where the gateway serves them at /docs.

  npm run docs
`;

await runWithoutArguments(help, async () => {
  const started = performance.now();
  // They load the product, which the help does not need.
  const [{ allPages }, { buildSite }] = [await import('./all-pages.js'), await import('./build-site.js')];
  const pages = await allPages();
  await buildSite(pages);
  print(
    `${pages.length} pages are in dist/docs (${formatSeconds(performance.now() - started)}). A gateway that starts now serves them at /docs.`,
  );
});
