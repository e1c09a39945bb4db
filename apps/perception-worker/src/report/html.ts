// Renders a report as a page that needs nothing else: its fonts are inside, and its policy lets it load and run nothing.
import type { Root } from 'mdast';
import { defaultSchema, sanitize } from 'hast-util-sanitize';
import { toHtml } from 'hast-util-to-html';
import { toHast } from 'mdast-util-to-hast';
import { fontFamily, type ReportFonts } from './report.js';

/** No scripts run on the page, so ids cannot clobber anything. A prefix would break the links of footnotes. */
const schema = { ...defaultSchema, clobberPrefix: '' };
const policy = "default-src 'none'; style-src 'unsafe-inline'; font-src data:";
const style = `
body { font: 16px/1.6 '${fontFamily}', sans-serif; color: #1f2328; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.3; } table { border-collapse: collapse; } th, td { border: 1px solid #d0d7de; padding: .3rem .7rem; }
th { background: #f6f8fa; } pre { background: #f6f8fa; padding: .8rem; overflow-x: auto; white-space: pre-wrap; }
blockquote { border-left: .25rem solid #d0d7de; margin-left: 0; padding-left: 1rem; color: #59636e; }
@media print { body { max-width: none; } }`;

export function renderHtml(title: string, tree: Root, fonts: ReportFonts): Buffer {
  const face = (weight: number, font: Buffer): string =>
    `@font-face { font-family: '${fontFamily}'; font-weight: ${weight}; src: url(data:font/woff2;base64,${font.toString('base64')}) format('woff2'); }`;
  const heading = toHtml({ type: 'text', value: title });
  const body = toHtml(sanitize(toHast(tree, { clobberPrefix: '' }), schema));
  const page = `<!doctype html>
<html lang="zh">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${heading}</title>
<style>
${face(400, fonts.regular)}
${face(700, fonts.bold)}${style}
</style>
</head>
<body>
<h1>${heading}</h1>
${body}
</body>
</html>
`;
  return Buffer.from(page, 'utf8');
}
