import type { ToolDefinition } from '#lib/contracts';
import { Badge } from '../../components/badge.js';
import { useText } from '../../language/use-text.js';
import { toolsText } from './text.js';

/** What a tool does to the world, and where it stands in its life. */
export function ToolBadges({ tool }: { readonly tool: ToolDefinition }) {
  const words = useText(toolsText);
  return (
    <span className="line wrap">
      <Badge tone={tool.read_only ? 'plain' : 'warn'}>{tool.read_only ? words.reads : words.writes}</Badge>
      {tool.streaming && <Badge tone="info">{words.streams}</Badge>}
      {tool.deprecated && <Badge tone="bad">{words.deprecated}</Badge>}
      {!tool.deprecated && tool.sunset_date !== undefined && <Badge tone="warn">{words.endsOn(tool.sunset_date)}</Badge>}
    </span>
  );
}
