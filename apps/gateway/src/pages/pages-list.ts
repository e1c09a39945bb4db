const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * The first page where the documentation is Markdown without a site, as in the package `invoq`.
 * @param llms `llms.txt`, which lists all pages
 */
export function pagesList(llms: string): string {
  const parts = llms.split('\n').flatMap((line) => {
    const [, heading] = /^## (.+)$/.exec(line) ?? [];
    if (heading) return `</ul><h2>${escaped(heading)}</h2><ul>`;
    const [, title = '', address, rest = ''] = /^- \[(.+?)\]\((\/docs\/[^)\s]+)\)(.*)$/.exec(line) ?? [];
    return address ? `<li><a href="${escaped(address)}">${escaped(title)}</a>${escaped(rest)}</li>` : [];
  });
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
    <title>Invoq: documentation</title>
  </head>
  <body>
    <h1>Documentation of Invoq</h1>
    <p>Here it is Markdown, as agents read it. For the same pages with a search, run <code>npm run docs</code> in a clone of the repository, whose gateway then serves them.</p>
    <ul>${parts.join('\n')}</ul>
  </body>
</html>
`.replaceAll(/<ul>\s*<\/ul>/g, '');
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (mark) => marks[mark] ?? mark);
}
