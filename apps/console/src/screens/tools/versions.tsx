import { Link } from '@tanstack/react-router';
import type { ToolDefinition } from '#lib/contracts';
import { Badge } from '../../components/badge.js';
import { Notice } from '../../components/notice.js';
import { Facts } from '../../components/stats.js';
import { shared } from '../../components/text.js';
import { useText } from '../../language/use-text.js';
import { toolsText } from './text.js';

/** Where a tool is in its life, and how it came there. */
export function Versions({ tool }: { readonly tool: ToolDefinition }) {
  const words = useText(toolsText);
  const common = useText(shared);
  return (
    <div className="stack">
      {(tool.deprecated || tool.sunset_date !== undefined) && (
        <Notice tone="warn">
          {tool.deprecated ? words.deprecated : words.endsOn(tool.sunset_date ?? '')}
          {tool.replacement !== undefined && (
            <>
              {' · '}
              {words.replacement}{' '}
              <Link to="/tools/$name" params={{ name: tool.replacement }}>
                {tool.replacement}
              </Link>
            </>
          )}
          {tool.migration_guide !== undefined && ` · ${words.guide}: ${tool.migration_guide}`}
        </Notice>
      )}
      <Facts
        facts={[
          [words.aliases, tool.aliases.length > 0 ? tool.aliases.join(', ') : common.none],
          [words.idempotent, tool.idempotent ? common.yes : common.no],
        ]}
      />
      <ol className="timeline">
        {Object.entries(tool.changelog ?? { [tool.version]: '' }).map(([version, change]) => (
          <li key={version}>
            <span className={`knot ${version === tool.version ? 'good' : ''}`} />
            <div>
              <Badge code tone={version === tool.version ? 'accent' : 'plain'}>
                v{version}
              </Badge>{' '}
              {change}
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}
