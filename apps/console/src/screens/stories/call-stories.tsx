import type { StreamEvent } from '#lib/client';
import { Panel } from '../../components/panel.js';
import { CallTimeline } from '../../components/call/call-timeline.js';
import { Waterfall } from '../../components/call/waterfall.js';
import { TextDiff } from '../../components/text-diff.js';

const metadata = { tool_name: 'get_weather', timestamp: '2026-11-22T10:00:00.000Z', trace_id: 'trace_20261122_story' };
const error = { code: 'NETWORK_ERROR', message: 'The weather service cannot be reached', retryable: true, hint: 'Retry.' };
const retry = { retry_count: 1, max_retries: 3, delay_ms: 1_840, error, metadata };
const events: readonly StreamEvent[] = [
  { event: 'tool_progress', id: '1', data: { progress: 0, message: 'Starting get_weather', metadata } },
  { event: 'tool_retrying', id: '2', data: retry },
  { event: 'tool_retrying', id: '3', data: { ...retry, retry_count: 2, delay_ms: 4_100 } },
  { event: 'tool_progress', id: '4', data: { progress: 60, message: '读取天气', metadata } },
  { event: 'tool_error', id: '5', data: { success: false, status: 'error', error, metadata } },
];
const manySpans = 1_000;
const spans = Array.from({ length: manySpans }, (_, index) => ({
  name: index === 0 ? 'POST /tools/get_weather' : `attempt ${index}`,
  service: index % 3 === 0 ? 'gateway' : 'perception-worker',
  span_id: `span-${index}`,
  parent_span_id: index === 0 ? null : `span-${Math.floor((index - 1) / 8)}`,
  offset_ms: index * 0.8,
  duration_ms: index === 0 ? manySpans : 40 + (index % 7) * 12,
  attributes: { 'invoq.tool': 'get_weather' },
}));

/** The timeline of a call with retries, a trace of a thousand spans, and a diff. */
export function CallStories() {
  return (
    <>
      <Panel title="Timeline">
        <CallTimeline events={events} />
      </Panel>
      <Panel title="Waterfall" padded={false}>
        <Waterfall trace={{ trace_id: metadata.trace_id, started_at: metadata.timestamp, duration_ms: manySpans, spans }} />
      </Panel>
      <TextDiff label="Diff" before={'one\ntwo\n'} after={'one\n二\n'} />
    </>
  );
}
