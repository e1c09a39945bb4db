import type { ToolDefinition } from '#lib/contracts';
import { Badge, CodeBadge } from '../../components/badge.js';
import { culpritOf } from '../../components/culprit.js';
import { Facts } from '../../components/stats.js';
import { Table } from '../../components/table.js';
import { shared } from '../../components/text.js';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import { toolsText } from './text.js';

const kinds = ['network', 'timeout', 'rate_limit', 'service'] as const;
/** A rule's longest delay where it names none, ms. */
const longestDelayMs = 60_000;

/** How a tool fails, and what is tried again by itself. */
export function ErrorsAndRetries({ tool }: { readonly tool: ToolDefinition }) {
  const words = useText(toolsText);
  const common = useText(shared);
  const errors = Object.entries(tool.errors);
  return (
    <div className="columns two">
      <div className="stack">
        <h2>{words.own}</h2>
        {errors.length === 0 ? (
          <p className="soft">{words.noErrors}</p>
        ) : (
          <Table isStacked columns={[words.code, words.family, words.culprit]}>
            {errors.map(([code, family]) => (
              <tr key={code}>
                <td>
                  <code>{code}</code>
                </td>
                <td>
                  <CodeBadge code={family} />
                </td>
                <td className="soft">{common.fault[culpritOf(family)]}</td>
              </tr>
            ))}
          </Table>
        )}
      </div>
      <div className="stack">
        <h2>{words.retryRules}</h2>
        <Table columns={[words.type, words.schedule]}>
          {kinds.map((kind) => {
            const { max_retries, base_delay_ms, factor } = tool.retry_policy[kind];
            return (
              <tr key={kind}>
                <td>{words.kinds[kind]}</td>
                <td>
                  <span className="line wrap">
                    {max_retries === 0 && <span className="faint">{words.notRetried}</span>}
                    {Array.from({ length: max_retries }, (_, retry) => (
                      // Delays of one rule have no identity but their number.
                      // oxlint-disable-next-line react/no-array-index-key
                      <Badge key={retry}>{formatMs(Math.min(longestDelayMs, base_delay_ms * factor ** retry))}</Badge>
                    ))}
                  </span>
                </td>
              </tr>
            );
          })}
        </Table>
        <Facts
          facts={[
            [words.retries, words.attempts(tool.max_attempts)],
            [words.perAttempt, formatMs(tool.timeout_ms)],
            [words.deadline, formatMs(tool.deadline_ms)],
          ]}
        />
      </div>
    </div>
  );
}
