import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Badge, CodeBadge } from '../../components/badge.js';
import { culpritOf } from '../../components/culprit.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { FeedBadge } from '../../components/feed-badge.js';
import { Segments } from '../../components/field.js';
import { Loaded } from '../../components/loading.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { Table } from '../../components/table.js';
import { shared } from '../../components/text.js';
import { Ago } from '../../components/time.js';
import { useRunList } from '../../data/runs.js';
import { useScope } from '../../data/session.js';
import { useText } from '../../language/use-text.js';
import { ErrorSamples } from './error-samples.js';
import { errorGroups, type ErrorGroup } from './error-groups.js';
import { errorsText } from './text.js';

const route = getRouteApi('/errors');
/** As many of the last runs are looked through. */
const mostRuns = 500;

/** Kinds of error by tool and code, each with samples. */
export function Errors() {
  const words = useText(errorsText);
  const isAdmin = useScope('admin');
  const filters = route.useSearch();
  const { tool, code, scope = isAdmin ? 'all' : 'mine' } = filters;
  const navigate = route.useNavigate();
  const { pages, runs, waiting, showWaiting, feed } = useRunList({ scope, ...(tool !== undefined && { tool }) });
  useEffect(() => {
    if (pages.hasNextPage && !pages.isFetchingNextPage && runs.length < mostRuns) void pages.fetchNextPage();
  }, [pages, runs.length]);
  useEffect(() => {
    if (waiting > 0) showWaiting();
  }, [waiting, showWaiting]);
  const groups = errorGroups(runs).filter((group) => code === undefined || group.code === code || group.family === code);
  return (
    <Screen
      title={words.title}
      aside={<FeedBadge state={feed.state} />}
      actions={
        isAdmin && (
          <Segments
            label={words.scope}
            value={scope}
            choices={(['mine', 'tenant', 'all'] as const).map((one) => [one, words.scopes[one]] as const)}
            onChoose={(chosen) => void navigate({ to: '.', search: { ...filters, scope: chosen }, replace: true })}
          />
        )
      }
    >
      {(tool !== undefined || code !== undefined) && (
        <div className="line">
          <span className="faint">{words.filtered}</span>
          {tool !== undefined && <Badge code>{tool}</Badge>}
          {code !== undefined && <Badge code>{code}</Badge>}
          <Button small look="quiet" icon="close" onClick={() => void navigate({ to: '.', search: { scope } })}>
            {words.clear}
          </Button>
        </div>
      )}
      <Loaded query={pages} lines={8}>
        {() => (
          <Panel title={words.groups(groups.length, runs.length)} padded={false}>
            {groups.length === 0 ? (
              <EmptyState icon="check" title={words.none}>
                <p>{words.noneHelp}</p>
              </EmptyState>
            ) : (
              <GroupTable groups={groups} scope={scope} />
            )}
          </Panel>
        )}
      </Loaded>
    </Screen>
  );
}

function GroupTable({ groups, scope }: { readonly groups: readonly ErrorGroup[]; readonly scope: string }) {
  const words = useText(errorsText);
  return (
    <Table
      columns={[
        words.tool,
        words.code,
        words.culprit,
        { title: words.count, isNumber: true },
        { title: words.last, isNumber: true },
        { title: words.samples, isNumber: true },
      ]}
    >
      {groups.map((group) => (
        <GroupRow key={`${group.tool} ${group.code}`} group={group} scope={scope} />
      ))}
    </Table>
  );
}

function GroupRow({ group, scope }: { readonly group: ErrorGroup; readonly scope: string }) {
  const words = useText(errorsText);
  const common = useText(shared);
  const [isOpen, setIsOpen] = useState(false);
  const [newest] = group.runs;
  const shown = Math.min(group.runs.length, 5);
  return (
    <>
      <tr>
        <td>
          <Link to="/tools/$name" params={{ name: group.tool }} search={{ tab: 'errors' }} title={words.openTool}>
            <code>{group.tool}</code>
          </Link>
        </td>
        <td>
          <span className="line wrap">
            <CodeBadge code={group.code} />
            {group.family !== group.code && <span className="faint mono">{group.family}</span>}
          </span>
        </td>
        <td className="soft">{common.fault[culpritOf(group.family)]}</td>
        <td className="number">{group.runs.length}</td>
        <td className="number faint">{newest && <Ago at={newest.created_at} />}</td>
        <td className="number">
          <Button
            small
            icon={isOpen ? 'down' : 'right'}
            aria-expanded={isOpen}
            aria-label={words.showSamples(shown, group.tool, group.code)}
            onClick={() => setIsOpen(!isOpen)}
          >
            {shown}
          </Button>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={6}>
            <ErrorSamples group={group} scope={scope} />
          </td>
        </tr>
      )}
    </>
  );
}
