import { useState } from 'react';
import type { Trace } from '#lib/client';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import { IconButton } from '../button.js';
import { JsonBlock } from '../code-block.js';
import { SearchInput } from '../field.js';
import { VirtualRows } from '../virtual-rows.js';
import { parentsIn, shownRows, spanTree } from './span-tree.js';
import { callText } from './text.js';

const columns = { gridTemplateColumns: 'minmax(180px, 2fr) 130px minmax(160px, 3fr) 80px' };
const colours = ['var(--chart-1)', 'var(--chart-2)', 'var(--chart-3)', 'var(--chart-5)', 'var(--info)', 'var(--good)'];
const indent = 14;
const foldWidth = 22;
/** Of the whole time, on the axis. */
const ticks = [0, 0.25, 0.5, 0.75, 1];
/** What tells spans of one name apart. */
const details = ['db.query.text', 'db.statement', 'http.route', 'url.path'];
const mostDetail = 120;

function detailOf({ attributes }: Trace['spans'][number]): string {
  const text = details.map((name) => attributes[name]).find((value) => typeof value === 'string');
  return (text ?? '').replaceAll(/\s+/g, ' ').slice(0, mostDetail);
}

/** The spans of a trace over its time, each below the one that caused it. */
export function Waterfall({ trace }: { readonly trace: Trace }) {
  const words = useText(callText);
  const [chosen, setChosen] = useState<string | null>(null);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [search, setSearch] = useState('');
  const all = spanTree(trace.spans);
  const parents = parentsIn(all);
  const rows = shownRows(all, { folded, search });
  const services = [...new Set(trace.spans.map(({ service = '' }) => service))];
  const opened = all.find(({ span }) => span.span_id === chosen)?.span;
  const total = Math.max(trace.duration_ms, 0.001);
  const fold = (id: string, isFolded: boolean) =>
    setFolded((before) => (isFolded ? new Set([...before, id]) : new Set([...before].filter((one) => one !== id))));
  return (
    <div>
      <div className="line wrap" style={{ padding: 'var(--s2) var(--s4)' }}>
        <p className="faint">
          {words.spans(trace.spans.length, formatMs(trace.duration_ms))} · <code>{trace.trace_id}</code>
        </p>
        <SearchInput label={words.searchSpans} value={search} onChange={(event) => setSearch(event.target.value)} />
      </div>
      <div className="rows-head" style={columns} aria-hidden="true">
        <span>{words.span}</span>
        <span>{words.service}</span>
        <span className="span-axis">
          {ticks.map((part) => (
            <span key={part}>{part === 0 ? '0' : formatMs(total * part)}</span>
          ))}
        </span>
        <span style={{ textAlign: 'right' }}>{words.duration}</span>
      </div>
      <VirtualRows
        label={words.waterfall}
        items={rows}
        keyOf={({ span }) => span.span_id}
        rowHeight={30}
        height="max(420px, calc(100vh - 330px))"
        renderRow={({ span, depth }) => (
          <>
            <button
              type="button"
              className="row button quiet"
              style={{ ...columns, height: 30, width: '100%', textAlign: 'left', justifyContent: 'stretch', borderRadius: 0 }}
              aria-expanded={span.span_id === chosen}
              data-span={span.span_id}
              onClick={() => setChosen(span.span_id === chosen ? null : span.span_id)}
              onKeyDown={({ key }) => {
                if (parents.has(span.span_id) && (key === 'ArrowLeft' || key === 'ArrowRight')) fold(span.span_id, key === 'ArrowLeft');
              }}
            >
              <span className="truncate" style={{ paddingLeft: depth * indent + foldWidth }}>
                {span.name} <span className="faint">{detailOf(span)}</span>
              </span>
              <span className="faint truncate">{span.service}</span>
              <span className="span-bar">
                <i
                  style={{
                    left: `${(span.offset_ms / total) * 100}%`,
                    width: `${(span.duration_ms / total) * 100}%`,
                    background: colours[services.indexOf(span.service ?? '') % colours.length],
                  }}
                />
              </span>
              <span className="number" style={{ textAlign: 'right' }}>
                {formatMs(span.duration_ms)}
              </span>
            </button>
            {parents.has(span.span_id) && search === '' && (
              <span className="span-fold" style={{ left: depth * indent }}>
                <IconButton
                  small
                  icon={folded.has(span.span_id) ? 'right' : 'down'}
                  label={`${folded.has(span.span_id) ? words.unfold : words.fold} ${span.name}`}
                  onClick={() => fold(span.span_id, !folded.has(span.span_id))}
                />
              </span>
            )}
          </>
        )}
      />
      {opened && (
        <div style={{ padding: 'var(--s4)' }}>
          <JsonBlock label={words.attributes} value={opened.attributes} />
        </div>
      )}
    </div>
  );
}
