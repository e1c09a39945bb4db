import type { ToolDefinition } from '#lib/contracts';
import { Badge } from '../../components/badge.js';
import { TextDiff } from '../../components/text-diff.js';
import type { Registration } from '../../data/api.js';
import { useText } from '../../language/use-text.js';
import { serversText } from './text.js';

interface ApprovalDiffProps {
  readonly before: readonly ToolDefinition[];
  readonly after: readonly ToolDefinition[];
  readonly rejected: Registration['rejected'];
}

/** What an approval has changed in the definitions of a server's tools. */
export function ApprovalDiff({ before, after, rejected }: ApprovalDiffProps) {
  const words = useText(serversText);
  const known = new Map(before.map((tool) => [tool.name, tool]));
  const now = new Map(after.map((tool) => [tool.name, tool]));
  const names = [...new Set([...known.keys(), ...now.keys()])].filter((name) => shown(known.get(name)) !== shown(now.get(name)));
  return (
    <section className="stack tight" aria-label={words.difference}>
      <h3>{words.difference}</h3>
      {names.map((name) => (
        <div key={name} className="stack tight">
          <span className="line">
            <code>{name}</code>
            {!known.has(name) && <Badge tone="good">{words.added}</Badge>}
            {!now.has(name) && <Badge tone="bad">{words.removed}</Badge>}
          </span>
          <TextDiff label={name} before={shown(known.get(name))} after={shown(now.get(name))} />
        </div>
      ))}
      {names.length === 0 && <p className="faint">—</p>}
      {rejected.map(({ tool, reason }) => (
        <p key={tool} className="fault">
          {words.rejected}: <code>{tool}</code> {reason}
        </p>
      ))}
    </section>
  );
}

/** What a model would be told of a tool, without its version, which counts approvals. */
function shown(tool: ToolDefinition | undefined): string {
  if (!tool) return '';
  const { title, description, parameters, output_schema } = tool;
  return JSON.stringify({ title, description, parameters, output_schema }, null, 2);
}
