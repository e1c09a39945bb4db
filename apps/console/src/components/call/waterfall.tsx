import { useState } from 'react';
import type { Trace } from '#lib/client';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import { JsonBlock } from '../code-block.js';
import { VirtualRows } from '../virtual-rows.js';
import { spanTree } from './span-tree.js';
import { callText } from './text.js';

const columns = { gridTemplateColumns: 'minmax(180px, 2fr) 130px minmax(160px, 3fr) 80px' };
const colours = ['var(--chart-1)', 'var(--chart-2)', 'var(--chart-3)', 'var(--chart-5)', 'var(--info)', 'var(--good)'];
const indent = 14;

/** The spans of a trace over its time, each below the one that caused it. */
export function Waterfall({ trace }: { readonly trace: Trace }) {
  const words = useText(callText);
  const [chosen, setChosen] = useState<string | null>(null);
  const rows = spanTree(trace.spans);
  const services = [...new Set(trace.spans.map(({ service = '' }) => service))];
  const opened = rows.find(({ span }) => span.span_id === chosen)?.span;
  const total = Math.max(trace.duration_ms, 0.001);
  return (
    <div>
      <p className="faint" style={{ padding: 'var(--s2) var(--s4)' }}>
        {words.spans(trace.spans.length, formatMs(trace.duration_ms))} · <code>{trace.trace_id}</code>
      </p>
      <div className="rows-head" style={columns} aria-hidden="true">
        <span>{words.span}</span>
        <span>{words.service}</span>
        <span />
        <span style={{ textAlign: 'right' }}>{words.duration}</span>
      </div>
      <VirtualRows
        label={words.waterfall}
        items={rows}
        keyOf={({ span }) => span.span_id}
        rowHeight={30}
        height="420px"
        renderRow={({ span, depth }) => (
          <button
            type="button"
            className="row button quiet"
            style={{ ...columns, height: 30, width: '100%', textAlign: 'left', justifyContent: 'stretch', borderRadius: 0 }}
            aria-expanded={span.span_id === chosen}
            data-span={span.span_id}
            onClick={() => setChosen(span.span_id === chosen ? null : span.span_id)}
          >
            <span className="truncate" style={{ paddingLeft: depth * indent }}>
              {span.name}
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
