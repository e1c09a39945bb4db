import { useState } from 'react';
import type { Trace } from '#lib/client';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import { Button, IconButton } from '../button.js';
import { JsonBlock } from '../code-block.js';
import { Checkbox, SearchInput } from '../field.js';
import { VirtualRows } from '../virtual-rows.js';
import { criticalPath } from './critical-path.js';
import { parentsIn, shownRows, spanTree } from './span-tree.js';
import { callText } from './text.js';

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

/** A time within a trace, in ms after its beginning. */
interface View {
  readonly from: number;
  readonly length: number;
}

/** The spans of a trace over its time, or over that of one of them, each below the one that caused it. */
export function Waterfall({ trace }: { readonly trace: Trace }) {
  const words = useText(callText);
  const [chosen, setChosen] = useState<string | null>(null);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [search, setSearch] = useState('');
  const [isPathAlone, setPathAlone] = useState(false);
  const whole: View = { from: 0, length: Math.max(trace.duration_ms, 0.001) };
  const [zoomed, setZoomed] = useState<View | null>(null);
  const view = zoomed ?? whole;
  const tree = spanTree(trace.spans);
  const waited = criticalPath(tree);
  const all = isPathAlone ? tree.filter(({ span }) => waited.has(span.span_id)) : tree;
  const parents = parentsIn(all);
  const rows = shownRows(all, { folded, search });
  const services = [...new Set(trace.spans.map(({ service = '' }) => service))];
  const opened = all.find(({ span }) => span.span_id === chosen)?.span;
  const fold = (id: string, isFolded: boolean) =>
    setFolded((before) => (isFolded ? new Set([...before, id]) : new Set([...before].filter((one) => one !== id))));
  return (
    <div>
      <div className="line wrap" style={{ padding: 'var(--s2) var(--s4)' }}>
        <p className="faint">
          {words.spans(trace.spans.length, formatMs(trace.duration_ms))} · <code>{trace.trace_id}</code>
        </p>
        <SearchInput label={words.searchSpans} value={search} onChange={(event) => setSearch(event.target.value)} />
        <Checkbox label={words.pathAlone} checked={isPathAlone} onChange={(event) => setPathAlone(event.target.checked)} />
        {zoomed && (
          <Button small onClick={() => setZoomed(null)}>
            {words.wholeTime}
          </Button>
        )}
      </div>
      <div className="rows-head span" aria-hidden="true">
        <span>{words.span}</span>
        <span>{words.service}</span>
        <span className="span-axis">
          {ticks.map((part) => (
            <span key={part}>{view.from + part === 0 ? '0' : formatMs(view.from + view.length * part)}</span>
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
              className="row span button quiet"
              style={{ height: 30, width: '100%', textAlign: 'left', justifyContent: 'stretch', borderRadius: 0 }}
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
              <SpanBar
                span={span}
                view={view}
                isWaited={waited.has(span.span_id)}
                colour={colours[services.indexOf(span.service ?? '') % colours.length]}
              />
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
        <div className="stack" style={{ padding: 'var(--s4)' }}>
          <div className="line wrap">
            <Button small onClick={() => setZoomed({ from: opened.offset_ms, length: Math.max(opened.duration_ms, 0.001) })}>
              {words.zoom}
            </Button>
            <span className="faint">{words.waited(formatMs(waited.get(opened.span_id) ?? 0))}</span>
          </div>
          <JsonBlock label={words.attributes} value={opened.attributes} />
        </div>
      )}
    </div>
  );
}

/** The part of a span that is in view. What the call waited for has a line below it. */
function SpanBar({
  span,
  view,
  isWaited,
  colour,
}: {
  readonly span: Trace['spans'][number];
  readonly view: View;
  readonly isWaited: boolean;
  readonly colour: string | undefined;
}) {
  const from = Math.max(0, (span.offset_ms - view.from) / view.length);
  const to = Math.min(1, (span.offset_ms + span.duration_ms - view.from) / view.length);
  return (
    <span className="span-bar">
      {to >= 0 && from <= 1 && (
        <i
          className={isWaited ? 'waited' : ''}
          style={{ left: `${from * 100}%`, width: `${Math.max(0, to - from) * 100}%`, background: colour }}
        />
      )}
    </span>
  );
}
