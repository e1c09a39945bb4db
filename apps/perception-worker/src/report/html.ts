// Renders a report as a page that needs nothing else: its fonts are inside, and its policy lets it load and run nothing.
import type { Nodes } from 'hast';
import type { Root } from 'mdast';
import { defaultSchema, sanitize, type Schema } from 'hast-util-sanitize';
import { toHtml } from 'hast-util-to-html';
import { toHast } from 'mdast-util-to-hast';
import { isRightToLeft } from './direction.js';
import { toWoff2 } from './fonts/font-files.js';
import type { Typeset } from './fonts/typeset.js';

/** No scripts run on the page, so ids cannot clobber anything. A prefix would break the links of footnotes. The name of a language is a word. */
const schema: Schema = {
  ...defaultSchema,
  clobberPrefix: '',
  attributes: { ...defaultSchema.attributes, code: [['className', /^language-[\p{L}\d+#._-]+$/u]] },
};
const policy = "default-src 'none'; style-src 'unsafe-inline'; font-src data:";
const style = `
body { color: #1f2328; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
[dir=rtl] { text-align: start; }
h1, h2, h3 { line-height: 1.3; } table { border-collapse: collapse; } th, td { border: 1px solid #d0d7de; padding: .3rem .7rem; }
th { background: #f6f8fa; } pre { background: #f6f8fa; padding: .8rem; overflow-x: auto; white-space: pre-wrap; }
blockquote { border-left: .25rem solid #d0d7de; margin-left: 0; padding-left: 1rem; color: #59636e; }
@media print { body { max-width: none; } }`;

const blocks = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'blockquote', 'table']);

interface PackedFont {
  readonly family: string;
  readonly weight: 400 | 700;
  readonly woff2: Buffer;
}

/** Renders a report as a page. */
export async function renderHtml(title: string, tree: Root, { fonts, language }: Typeset): Promise<Buffer> {
  const packed: PackedFont[] = [];
  for (const { family, regular, bold } of fonts) {
    packed.push({ family, weight: 400, woff2: await toWoff2(regular) });
    if (bold) packed.push({ family, weight: 700, woff2: await toWoff2(bold) });
  }
  return Buffer.from(pageOf(title, tree, { language, fonts: packed }), 'utf8');
}

export function pageOf(
  title: string,
  tree: Root,
  { language, fonts }: { readonly language: string; readonly fonts: readonly PackedFont[] },
): string {
  const families = [...new Set(fonts.map(({ family }) => `'${family}'`))].join(', ');
  const heading = toHtml({ type: 'text', value: title });
  const written = sanitize(toHast(tree, { clobberPrefix: '' }), schema);
  direct(written);
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${heading}</title>
<style>
${fonts.map(face).join('\n')}
body { font: 16px/1.6 ${families}, sans-serif; }${style}
</style>
</head>
<body>
<h1${isRightToLeft(title) ? ' dir="rtl"' : ''}>${heading}</h1>
${toHtml(written)}
</body>
</html>
`;
}

function face({ family, weight, woff2 }: PackedFont): string {
  return `@font-face { font-family: '${family}'; font-weight: ${weight}; src: url(data:font/woff2;base64,${woff2.toString('base64')}) format('woff2'); }`;
}

/** Blocks of scripts that run from right to left say so. */
function direct(node: Nodes): void {
  if (node.type === 'element' && blocks.has(node.tagName) && isRightToLeft(wordsOf(node))) node.properties['dir'] = 'rtl';
  if ('children' in node) for (const child of node.children) direct(child);
}

function wordsOf(node: Nodes): string {
  if (node.type === 'text') return node.value;
  return 'children' in node ? node.children.map(wordsOf).join('') : '';
}
