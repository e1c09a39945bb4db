import { getRouteApi } from '@tanstack/react-router';
import { inputRequestStates, kindsOf } from './filters.js';
import { ApiLines } from '../../components/api-lines.js';
import { EmptyState } from '../../components/empty-state.js';
import { Select } from '../../components/field.js';
import { Loaded } from '../../components/loading.js';
import { MoreButton } from '../../components/more-button.js';
import { ScopeChoice } from '../../components/scope-choice.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { Table } from '../../components/table.js';
import { shared } from '../../components/text.js';
import { invoq } from '../../data/gateway.js';
import { everyMs, requestsKey } from '../../data/input-requests.js';
import { useScope } from '../../data/session.js';
import { usePages } from '../../data/use-pages.js';
import { useWhileTouched } from '../../data/while-touched.js';
import { useText } from '../../language/use-text.js';
import { RequestDialog } from './request-dialog.js';
import { RequestRow } from './request-row.js';
import { requestsText } from './text.js';

const route = getRouteApi('/requests');

/** What waits for people, and what they have decided. */
export function Requests() {
  const words = useText(requestsText);
  const common = useText(shared);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayApprove = useScope('approvals');
  const { scope = 'mine', state = 'open', kind = '', tool } = search;
  const filters = {
    scope: scope === 'tenant' && mayApprove ? ('tenant' as const) : ('mine' as const),
    state: inputRequestStates.find((one) => one === state),
    kind: kindsOf.find((one) => one === kind),
    tool,
  };
  const pages = usePages({
    key: [requestsKey, 'list', filters],
    read: (cursor, signal) => invoq.inputRequests.list({ ...filters, cursor, signal }),
    everyMs: useWhileTouched(everyMs),
  });
  const set = (change: Readonly<Record<string, string>>) => void navigate({ to: '.', search: { ...search, ...change }, replace: true });
  const open = (id: string) => void navigate({ to: '.', search: { ...search, id } });
  const isPlain = state === 'open' && kind === '' && tool === undefined;
  return (
    <Screen title={words.title}>
      <div className="line wrap inline">
        <ScopeChoice
          value={filters.scope}
          offered={mayApprove ? ['mine', 'tenant'] : ['mine']}
          onChoose={(chosen) => set({ scope: chosen })}
        />
        <Select aria-label={words.state} value={state} onChange={(event) => set({ state: event.target.value })}>
          {inputRequestStates.map((one) => (
            <option key={one} value={one}>
              {words.states[one]}
            </option>
          ))}
          <option value="any">{words.anyState}</option>
        </Select>
        <Select aria-label={words.kind} value={kind} onChange={(event) => set({ kind: event.target.value })}>
          <option value="">{words.anyKind}</option>
          {kindsOf.map((one) => (
            <option key={one} value={one}>
              {words.kinds[one]}
            </option>
          ))}
        </Select>
      </div>
      <Panel padded={false} title={words.list}>
        <Loaded query={pages} lines={8}>
          {({ pages: read }) => {
            const rows = read.flatMap(({ input_requests: list }) => list);
            if (rows.length === 0 && !pages.hasNextPage)
              return (
                <EmptyState icon="requests" title={isPlain ? words.none : words.noneFits}>
                  <p>{words.noneHelp}</p>
                  <ApiLines lines={['npx invoq inputs list', 'npx invoq inputs accept <id>']} />
                </EmptyState>
              );
            return (
              <>
                <Table
                  isStacked
                  columns={[
                    words.kind,
                    words.asked,
                    words.by,
                    words.when,
                    state === 'open' ? words.expires : words.state,
                    { title: common.actions, isHidden: true },
                  ]}
                >
                  {rows.map((request) => (
                    <RequestRow key={request.id} request={request} isOpenList={state === 'open'} onOpen={open} />
                  ))}
                </Table>
                <MoreButton pages={pages} />
              </>
            );
          }}
        </Loaded>
      </Panel>
      {search.id !== undefined && <RequestDialog key={search.id} id={search.id} onClose={() => set({ id: '' })} />}
    </Screen>
  );
}
