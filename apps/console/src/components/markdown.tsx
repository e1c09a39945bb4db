// Markdown that a model or a person wrote. HTML in it is left out, and nothing in it loads anything: pictures are shown as links.
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkCjkFriendly from 'remark-cjk-friendly';
import remarkCjkStrikethrough from 'remark-cjk-friendly-gfm-strikethrough';
import remarkGfm from 'remark-gfm';

const components: Components = {
  img: ({ alt, src }) => <code>{alt || src}</code>,
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
};
// Emphasis beside Chinese marks: `**“重点”**的` is bold. The order counts: each replaces a rule of the one before.
const plugins = [remarkGfm, remarkCjkFriendly, remarkCjkStrikethrough];

export function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="prose">
      <ReactMarkdown remarkPlugins={plugins} skipHtml components={components}>
        {text}
      </ReactMarkdown>
    </div>
  );
}
