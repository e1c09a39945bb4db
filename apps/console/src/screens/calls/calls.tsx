import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { EmptyState } from '../../components/empty-state.js';
import { FeedBadge } from '../../components/feed-badge.js';
import { Loaded } from '../../components/loading.js';
import { ErrorNotice } from '../../components/notice.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { useNarrow } from '../../components/use-narrow.js';
import { VirtualRows } from '../../components/virtual-rows.js';
import { useCallList } from '../../data/calls.js';
import { useScope } from '../../data/session.js';
import { formatCount } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { CancelSelected } from './cancel-selected.js';
import { CallFilterFields } from './call-filter-fields.js';
import { CallListRow } from './call-list-row.js';
import { SavedViews } from './saved-views.js';
import { callsText } from './text.js';

const route = getRouteApi('/calls');
/** As the style sheets have them: on a phone a row has two lines. */
const rowHeights = { wide: 38, narrow: 62 };

/** What is shown first, where one may see it. */
const scopes = ['all', 'tenant', 'mine'] as const;

/** Every call that the filters let through, the newest first; new ones wait above until they are asked for. */
export function Calls() {
  const words = useText(callsText);
  const language = useLanguage();
  const filters = route.useSearch();
  const [isAdmin, isTenantAdmin] = [useScope('admin'), useScope('tenant:admin')];
  const offered = isAdmin ? scopes : isTenantAdmin ? scopes.slice(1) : scopes.slice(2);
  const scope = offered.find((one) => one === filters.scope) ?? offered[0] ?? 'mine';
  const navigate = route.useNavigate();
  const isNarrow = useNarrow();
  const { pages, calls, isPast, waiting, isCut, showWaiting, feed } = useCallList({ ...filters, scope });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const select = (id: string) =>
    setSelected((before) => (before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id])));
  const more = () => {
    if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
  };
  const isFiltered = Object.keys(filters).some((name) => name !== 'scope');
  return (
    <Screen
      title={words.title}
      {...(!isPast && { aside: <FeedBadge state={feed.state} /> })}
      actions={<CopyButton text={location.href} label={words.copyLink} small={false} />}
    >
      <SavedViews filters={filters} onOpen={(search) => void navigate({ to: '.', search })} />
      <CallFilterFields filters={filters} scope={scope} onChange={(search) => void navigate({ to: '.', search, replace: true })} />
      {feed.error !== null && <ErrorNotice error={feed.error} />}
      <Panel
        padded={false}
        title={words.shown(calls.length, pages.hasNextPage)}
        actions={
          <>
            {waiting > 0 && (
              <Button small look="primary" onClick={showWaiting}>
                {words.newCalls(`${formatCount(waiting, language)}${isCut ? '+' : ''}`)}
              </Button>
            )}
            <CancelSelected calls={calls} selected={selected} onSelect={setSelected} />
          </>
        }
      >
        <Loaded query={pages} lines={14}>
          {() =>
            calls.length === 0 && !pages.hasNextPage ? (
              <EmptyState icon="calls" title={isFiltered ? words.none : words.noneYet}>
                <p>{words.noneHelp}</p>
                <Link className="button" to="/tools">
                  {words.tryTool}
                </Link>
              </EmptyState>
            ) : (
              <>
                {isPast && <p className="faint list-note">{words.past}</p>}
                <div className={`rows-head call ${scope === 'all' ? 'of-all' : ''}`} aria-hidden="true">
                  <span />
                  <span>{words.state}</span>
                  <span>{words.tool}</span>
                  <span>{words.code}</span>
                  {scope === 'all' && <span>{words.tenant}</span>}
                  <span>{words.user}</span>
                  <span className="number">{words.attempts}</span>
                  <span className="number">{words.duration}</span>
                  <span className="number">{words.accepted}</span>
                </div>
                <VirtualRows
                  label={words.list}
                  items={calls}
                  keyOf={({ job_id }) => job_id}
                  height="calc(100vh - 300px)"
                  isWalked
                  rowHeight={isNarrow ? rowHeights.narrow : rowHeights.wide}
                  onEnd={more}
                  renderRow={(call) => (
                    <CallListRow call={call} hasTenant={scope === 'all'} isSelected={selected.has(call.job_id)} onSelect={select} />
                  )}
                />
                {pages.hasNextPage && (
                  <div className="line" style={{ justifyContent: 'center', padding: 'var(--s2)' }}>
                    <Button small onClick={more} disabled={pages.isFetchingNextPage}>
                      {words.more}
                    </Button>
                  </div>
                )}
              </>
            )
          }
        </Loaded>
      </Panel>
    </Screen>
  );
}
