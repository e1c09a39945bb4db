import { getRouteApi, Link } from '@tanstack/react-router';
import type { ToolDefinition } from '#lib/contracts';
import { Badge } from '../../components/badge.js';
import { Icon } from '../../components/icon.js';
import { Loaded } from '../../components/loading.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { Tabs } from '../../components/tabs.js';
import { useTool } from '../../data/tools.js';
import { useText } from '../../language/use-text.js';
import { Contract } from './contract.js';
import { ErrorsAndRetries } from './errors-and-retries.js';
import { Playground } from './playground.js';
import { toolsText } from './text.js';
import { ToolBadges } from './tool-badges.js';
import { Versions } from './versions.js';

const route = getRouteApi('/tools/$name');
const tabs = ['try', 'contract', 'errors', 'versions'] as const;
type Tab = (typeof tabs)[number];

export function Tool() {
  const { name } = route.useParams();
  const words = useText(toolsText);
  const tool = useTool(name);
  const search = route.useSearch();
  const { tab } = search;
  const navigate = route.useNavigate();
  const chosen = tabs.find((one) => one === tab) ?? 'try';
  const choose = (next: Tab) => void navigate({ to: '.', search: { ...search, tab: next }, replace: true });
  return (
    <Screen
      title={name}
      lead={
        <Link to="/tools" aria-label={words.title} className="button quiet icon-only">
          <Icon name="left" />
        </Link>
      }
      aside={
        tool.data && (
          <span className="line wrap">
            <span className="soft">{tool.data.title}</span>
            <Badge code>v{tool.data.version}</Badge>
            <ToolBadges tool={tool.data} />
          </span>
        )
      }
      actions={
        <Link className="button" to="/calls" search={{ tool: name }}>
          <Icon name="calls" /> {words.callsOfIt}
        </Link>
      }
    >
      <Loaded query={tool} lines={10}>
        {(definition) => (
          <>
            <p className="soft">{definition.description}</p>
            <Panel padded={false}>
              <Tabs label={words.sections} value={chosen} tabs={tabs.map((one) => [one, words.tabs[one]] as const)} onChoose={choose}>
                <div className="inside" style={{ padding: 'var(--s4)' }}>
                  <Part key={definition.name} tab={chosen} tool={definition} />
                </div>
              </Tabs>
            </Panel>
          </>
        )}
      </Loaded>
    </Screen>
  );
}

function Part({ tab, tool }: { readonly tab: Tab; readonly tool: ToolDefinition }) {
  switch (tab) {
    case 'try':
      return <Playground tool={tool} />;
    case 'contract':
      return <Contract tool={tool} />;
    case 'errors':
      return <ErrorsAndRetries tool={tool} />;
    case 'versions':
      return <Versions tool={tool} />;
  }
}
