import type { Scope, ToolDefinition } from '#lib/contracts';
import { Notice } from '../../components/notice.js';
import { mayUse } from '../../data/session.js';
import { useTools } from '../../data/tools.js';
import { useText } from '../../language/use-text.js';
import { keysText } from './text.js';

/** Which tools would refuse a key with these scopes, and for want of what. */
export function Refusals({ scopes }: { readonly scopes: readonly Scope[] }) {
  const words = useText(keysText);
  const { data: tools = [] } = useTools();
  const lacking = tools.flatMap((tool) => lackedBy(scopes, tool));
  const needs = [...new Set(lacking.map(({ need }) => need))];
  return (
    <Notice tone="info">
      {lacking.length === 0 ? words.mayCall : words.without(lacking.length)}
      {lacking.length > 0 && (
        <details>
          <summary>{words.refused}</summary>
          {needs.map((need) => (
            <p key={need}>
              {words.missing} <code>{need}</code>:{' '}
              {lacking
                .filter((one) => one.need === need)
                .map(({ name }) => name)
                .join(', ')}
            </p>
          ))}
        </details>
      )}
    </Notice>
  );
}

/** The first scope that the tool needs and the key would lack: what the gateway names when it refuses. */
function lackedBy(
  scopes: readonly Scope[],
  { name, scopes: needed }: ToolDefinition,
): readonly { readonly name: string; readonly need: Scope }[] {
  const need = needed.find((scope) => !mayUse({ scopes }, scope));
  return need === undefined ? [] : [{ name, need }];
}
