import { InvoqError } from '#lib/client';
import type { JobState } from '#lib/contracts';
import { Badge, CodeBadge, StateBadge } from '../../components/badge.js';
import { JsonBlock } from '../../components/code-block.js';
import { EmptyState } from '../../components/empty-state.js';
import { EnvelopeError } from '../../components/envelope-error.js';
import { FeedBadge } from '../../components/feed-badge.js';
import { Loading } from '../../components/loading.js';
import { ErrorNotice, Notice } from '../../components/notice.js';
import { Panel } from '../../components/panel.js';
import { Facts, Stats } from '../../components/stats.js';

const states: readonly JobState[] = ['waiting', 'active', 'delayed', 'resting', 'completed', 'failed', 'cancelled'];
const codes = ['INVALID_PARAMS', 'RATE_LIMITED', 'TIMEOUT', 'EXECUTION_ERROR', 'OVERLOADED', 'CANCELLED', 'CITY_NOT_FOUND'];
const offline = new InvoqError({ code: 'NETWORK_ERROR', message: 'The gateway gave no answer', retryable: true }, { status: 0 });
const longName = 'a_server_with_a_long_name__a_tool_whose_name_is_longer_than_any_column_of_a_table_should_have_to_bear';

/** Badges, notices, and what stands where there is nothing, or not yet. */
export function StateStories() {
  return (
    <>
      <div className="line wrap">
        {states.map((state) => (
          <StateBadge key={state} state={state} />
        ))}
      </div>
      <div className="line wrap">
        {codes.map((code) => (
          <CodeBadge key={code} code={code} />
        ))}
      </div>
      <div className="line wrap">
        <FeedBadge state="live" />
        <FeedBadge state="connecting" />
        <FeedBadge state="failed" />
        <Badge tone="accent">中文标签</Badge>
      </div>
      <Notice>Calls are accepted and wait.</Notice>
      <Notice tone="good">Merged: 3 nodes</Notice>
      <Notice tone="warn">敏感值对你隐藏。</Notice>
      <ErrorNotice error={offline} onRetry={() => undefined} />
      <EnvelopeError
        error={{
          code: 'RESOURCE_NOT_FOUND',
          native_code: 'USER_NOT_FOUND',
          message: "No user 'user_999'",
          hint: 'Check the id or the path.',
        }}
      />
      <Panel title="Loading">
        <Loading />
      </Panel>
      <Panel title="Empty">
        <EmptyState icon="calls" title="No calls yet">
          <p>Call a tool, and its call appears here by itself.</p>
        </EmptyState>
      </Panel>
      <Stats
        stats={[
          { label: 'Calls', value: '12,480', aside: 'in 5 min' },
          { label: 'p99', value: '48', unit: 'ms' },
        ]}
      />
      <Panel title={<span className="truncate">{longName}</span>}>
        <Facts
          facts={[
            ['Tool', longName],
            ['用户', '张三'],
          ]}
        />
      </Panel>
      <JsonBlock label="JSON" value={{ text: '<b>not HTML</b>', number: 1.5, none: null, yes: true }} />
    </>
  );
}
