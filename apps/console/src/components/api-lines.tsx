import { useText } from '../language/use-text.js';
import { CodeBlock } from './code-block.js';
import { shared } from './text.js';

/** How the same is done from a command line. */
export function ApiLines({ lines }: { readonly lines: readonly string[] }) {
  const words = useText(shared);
  return (
    <div className="api-lines">
      <CodeBlock label={words.commandLine} text={lines.join('\n')} />
    </div>
  );
}
