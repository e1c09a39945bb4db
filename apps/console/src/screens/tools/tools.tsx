import { getRouteApi, Link } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import type { ToolDefinition } from '#lib/contracts';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { SearchInput, Select } from '../../components/field.js';
import { Loaded } from '../../components/loading.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { Table } from '../../components/table.js';
import { useTools } from '../../data/tools.js';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import { toolsText } from './text.js';
import { ToolBadges } from './tool-badges.js';

const route = getRouteApi('/tools');

interface Filters {
  readonly q?: string;
  readonly domain?: string;
  readonly effect?: string;
}

export function Tools() {
  const words = useText(toolsText);
  const tools = useTools();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const set = (change: { readonly [Name in keyof Filters]: string }) =>
    void navigate({ to: '.', search: { ...filters, ...change }, replace: true });
  return (
    <Screen title={words.title}>
      <Loaded query={tools} lines={12}>
        {(all) => (
          <>
            <div className="line wrap">
              <SearchInput label={words.searchTools} value={filters.q ?? ''} onChange={(event) => set({ q: event.target.value })} />
              <div className="inline line">
                <Select aria-label={words.domain} value={filters.domain ?? ''} onChange={(event) => set({ domain: event.target.value })}>
                  <option value="">{words.anyDomain}</option>
                  {[...new Set(all.map(({ domain }) => domain))].sort().map((domain) => (
                    <option key={domain}>{domain}</option>
                  ))}
                </Select>
                <Select aria-label={words.effect} value={filters.effect ?? ''} onChange={(event) => set({ effect: event.target.value })}>
                  <option value="">{words.anyEffect}</option>
                  <option value="read">{words.reads}</option>
                  <option value="write">{words.writes}</option>
                </Select>
              </div>
            </div>
            <ToolTable all={all} filters={filters} onClear={() => void navigate({ to: '.', search: {} })} />
          </>
        )}
      </Loaded>
    </Screen>
  );
}

function ToolTable({
  all,
  filters,
  onClear,
}: {
  readonly all: readonly ToolDefinition[];
  readonly filters: Filters;
  readonly onClear: () => void;
}) {
  const words = useText(toolsText);
  const wanted = useDeferredValue(filters);
  const shown = all.filter((tool) => fits(tool, wanted));
  return (
    <Panel title={words.count(shown.length, all.length)} padded={false}>
      {shown.length === 0 ? (
        <EmptyState icon="search" title={words.noMatch}>
          <Button onClick={onClear}>{words.clear}</Button>
        </EmptyState>
      ) : (
        <Table
          isStacked
          columns={[
            words.tool,
            words.domain,
            words.effect,
            { title: words.retries, isNumber: true },
            { title: words.cache, isNumber: true },
            { title: words.timeout, isNumber: true },
            words.errors,
          ]}
        >
          {shown.map((tool) => (
            <ToolRow key={tool.name} tool={tool} />
          ))}
        </Table>
      )}
    </Panel>
  );
}

function ToolRow({ tool }: { readonly tool: ToolDefinition }) {
  const words = useText(toolsText);
  const codes = Object.keys(tool.errors);
  return (
    <tr>
      <td>
        <Link to="/tools/$name" params={{ name: tool.name }}>
          <code>{tool.name}</code>
        </Link>
        <div className="soft">{tool.title}</div>
      </td>
      <td>{tool.domain}</td>
      <td>
        <ToolBadges tool={tool} />
      </td>
      <td className="number">{tool.max_attempts - 1 || words.never}</td>
      <td className="number">{tool.cache_ttl === undefined ? words.never : formatMs(tool.cache_ttl * 1_000)}</td>
      <td className="number">{formatMs(tool.timeout_ms)}</td>
      <td className="faint">
        {codes.length === 0 ? words.never : <code title={codes.join(', ')}>{codes[0]}</code>}
        {codes.length > 1 && ` +${codes.length - 1}`}
      </td>
    </tr>
  );
}

function fits(tool: ToolDefinition, { q, domain, effect }: Filters): boolean {
  if (domain !== undefined && tool.domain !== domain) return false;
  if (effect !== undefined && tool.read_only !== (effect === 'read')) return false;
  if (q === undefined) return true;
  const text = [tool.name, tool.title, tool.description, ...tool.aliases, ...Object.keys(tool.errors)].join(' ').toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
