import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Badge } from '../../components/badge.js';
import { Icon } from '../../components/icon.js';
import { Select } from '../../components/field.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { Tabs } from '../../components/tabs.js';
import { api } from '../../data/api.js';
import { MemoryContext, useMemoryQuery, workingSession } from '../../data/memory.js';
import { useText } from '../../language/use-text.js';
import { Branches } from './branches.js';
import { Budget } from './budget.js';
import { Changes } from './changes.js';
import { Context } from './context.js';
import { History } from './history.js';
import { NodeSearch } from './node-search.js';
import { NodeTree } from './node-tree.js';
import { NodeView } from './node-view.js';
import { sessionOf, StagedElsewhere } from './staged-elsewhere.js';
import { memoryText } from './text.js';

const route = getRouteApi('/memory');
const tabs = ['read', 'changes', 'history', 'branches', 'context'] as const;

export function Memory() {
  const { workspace, session } = route.useSearch();
  return (
    <MemoryContext value={{ workspace, sessionId: session === undefined ? workingSession() : sessionOf(session) }}>
      <MemoryScreen />
    </MemoryContext>
  );
}

/** The tree on the left; on the right a node, what is staged, the history, the branches, or the whole view. */
function MemoryScreen() {
  const words = useText(memoryText);
  const search = route.useSearch();
  const { workspace, node, tab } = search;
  const navigate = route.useNavigate();
  const workspaces = useQuery({ queryKey: ['workspaces'], queryFn: api.workspaces });
  const branches = useMemoryQuery('list_branches', {});
  const changes = useMemoryQuery('list_changes', {});
  const chosen = tabs.find((one) => one === tab) ?? 'read';
  const staged = changes.data?.total ?? 0;
  const openWorkspace = (name: string) => void navigate({ to: '.', search: name === '' ? {} : { workspace: name } });
  return (
    <Screen
      title={words.title}
      aside={
        branches.data && (
          <Badge tone="accent">
            <Icon name="branch" /> {branches.data.current}
          </Badge>
        )
      }
      actions={
        <div className="inline line">
          <Select aria-label={words.workspace} value={workspace ?? ''} onChange={(event) => openWorkspace(event.target.value)}>
            <option value="">{words.own}</option>
            {workspaces.data?.workspaces
              .filter(({ is_own }) => !is_own)
              .map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
          </Select>
        </div>
      }
    >
      <StagedElsewhere list={workspaces.data?.workspaces} />
      <Budget />
      <div className="columns lead">
        <Panel title={words.tree} padded={false}>
          <NodeSearch onChoose={(id) => void navigate({ to: '.', search: { ...search, node: id, tab: 'read' } })} />
          <NodeTree chosen={node} onChoose={(id) => void navigate({ to: '.', search: { ...search, node: id, tab: 'read' } })} />
        </Panel>
        <Panel padded={false}>
          <Tabs
            label={words.sections}
            value={chosen}
            tabs={tabs.map(
              (one) => [one, one === 'changes' && staged > 0 ? `${words.tabs.changes} (${staged})` : words.tabs[one]] as const,
            )}
            onChoose={(next) => void navigate({ to: '.', search: { ...search, tab: next }, replace: true })}
          >
            <div style={{ padding: 'var(--s4)' }}>
              {chosen === 'read' && <NodeView key={node} nodeId={node} />}
              {chosen === 'changes' && <Changes />}
              {chosen === 'history' && <History />}
              {chosen === 'branches' && <Branches />}
              {chosen === 'context' && <Context />}
            </div>
          </Tabs>
        </Panel>
      </div>
    </Screen>
  );
}
