import { getRouteApi } from '@tanstack/react-router';
import type { AuditEvent } from '#lib/contracts';
import { ScopeOnly } from '../../app/scope-only.js';
import { ApiLines } from '../../components/api-lines.js';
import { CopyButton } from '../../components/copy-button.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loaded } from '../../components/loading.js';
import { MoreButton } from '../../components/more-button.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { Table } from '../../components/table.js';
import { Ago } from '../../components/time.js';
import { useAudit } from '../../data/audit.js';
import { useScope } from '../../data/session.js';
import { useText } from '../../language/use-text.js';
import { actionText, wordsOf } from './action-text.js';
import { AuditFilters } from './audit-filters.js';
import { Who } from './who.js';
import { EntryDialog } from './entry-dialog.js';
import { ExportButton } from './export-button.js';
import { auditText } from './text.js';

const route = getRouteApi('/audit');

/** Who changed what, and when: keys, approvals, servers, rules, and whatever else is made with a right of administration. */
export function Audit() {
  return (
    <ScopeOnly scope="tenant:admin">
      <Entries />
    </ScopeOnly>
  );
}

function Entries() {
  const words = useText(auditText);
  const isAdmin = useScope('admin');
  const { entry, at, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const scope = isAdmin && search.scope !== 'tenant' ? 'all' : 'tenant';
  const { tenant, ...rest } = search;
  const filter = { ...rest, scope, ...(scope === 'all' && { tenant }) } as const;
  const pages = useAudit(filter);
  const events = pages.data?.pages.flatMap((page) => page.events) ?? [];
  const actors = [...new Set(events.flatMap(({ actor }) => actor ?? []))].toSorted();
  const open = (event: AuditEvent) => void navigate({ to: '.', search: { ...search, entry: event.id, at: event.at } });
  const isFiltered = Object.keys(search).some((name) => name !== 'scope');
  return (
    <Screen
      title={words.title}
      actions={
        <>
          <CopyButton text={location.href} label={words.copyLink} small={false} />
          <ExportButton filter={filter} />
        </>
      }
    >
      <AuditFilters
        search={search}
        scope={scope}
        actors={actors}
        onChange={(next) => void navigate({ to: '.', search: next, replace: true })}
      />
      <Panel padded={false} title={words.shown(events.length, pages.hasNextPage)}>
        <Loaded query={pages} lines={10}>
          {() =>
            events.length === 0 && !pages.hasNextPage ? (
              <EmptyState icon="audit" title={isFiltered ? words.noneFits : words.none}>
                <p>{words.noneHelp}</p>
                <ApiLines lines={['npx invoq audit']} />
              </EmptyState>
            ) : (
              <>
                <Table
                  isStacked
                  columns={[words.action, words.what, words.who, ...(scope === 'all' ? [words.tenant] : []), words.changed, words.when]}
                >
                  {events.map((event) => (
                    <EntryRow key={event.id} event={event} hasTenant={scope === 'all'} onOpen={open} />
                  ))}
                </Table>
                <MoreButton pages={pages} />
              </>
            )
          }
        </Loaded>
      </Panel>
      {entry !== undefined && at !== undefined && (
        <EntryDialog
          key={entry}
          place={{ scope, at, id: entry }}
          known={events.find(({ id }) => id === entry)}
          onClose={() => void navigate({ to: '.', search })}
        />
      )}
    </Screen>
  );
}

interface EntryRowProps {
  readonly event: AuditEvent;
  readonly hasTenant: boolean;
  readonly onOpen: (event: AuditEvent) => void;
}

function EntryRow({ event, hasTenant, onOpen }: EntryRowProps) {
  const words = useText(auditText);
  const actions = useText(actionText);
  const { at, action, subject, tenant_id, changed } = event;
  return (
    <tr>
      <td>
        <button type="button" className="link" onClick={() => onOpen(event)}>
          {wordsOf(action, actions)} <span className="hidden-visually">{subject}</span>
        </button>
      </td>
      <td className="told">
        <code>{subject}</code>
      </td>
      <td className="told soft">
        <Who event={event} />
      </td>
      {hasTenant && <td className="soft">{tenant_id ?? words.forAll}</td>}
      <td className="told faint">{changed.length === 0 ? '—' : changed.join(', ')}</td>
      <td className="faint">
        <Ago at={at} isPast />
      </td>
    </tr>
  );
}
