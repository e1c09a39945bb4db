import type { Scope, ToolDefinition } from '#lib/contracts';
import { Notice } from '../../components/notice.js';
import { useTools } from '../../data/tools.js';
import { useText } from '../../language/use-text.js';
import { keysText } from './text.js';

/** Which tools would refuse a key with these scopes, and for want of what. */
export function Refusals({ scopes }: { readonly scopes: readonly Scope[] }) {
  const words = useText(keysText);
  const { data: tools = [] } = useTools();
  const refused = tools.filter((tool) => !scopes.includes('*') && !scopes.includes(neededFor(tool)));
  const needs = [...new Set(refused.map(neededFor))];
  return (
    <Notice tone="info">
      {refused.length === 0 ? words.mayCall : words.without(refused.length)}
      {refused.length > 0 && (
        <details>
          <summary>{words.refused}</summary>
          {needs.map((need) => (
            <p key={need}>
              {words.missing} <code>{need}</code>:{' '}
              {refused
                .filter((tool) => neededFor(tool) === need)
                .map(({ name }) => name)
                .join(', ')}
            </p>
          ))}
        </details>
      )}
    </Notice>
  );
}

/** The scope that follows from what a tool does; definitions name no others. */
function neededFor(tool: ToolDefinition): Scope {
  return tool.read_only ? 'tools:read' : 'tools:write';
}
