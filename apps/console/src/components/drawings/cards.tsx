import { Badge, type Tone } from '../badge.js';
import { Panel } from '../panel.js';
import type { Insight, Report } from './results.js';

const tones: Readonly<Record<Insight['tone'], Tone>> = { positive: 'good', neutral: 'plain', caution: 'warn' };

/** One thought on a card. */
export function InsightCard({ insight }: { readonly insight: Insight }) {
  return (
    <Panel title={insight.title} actions={<Badge tone={tones[insight.tone]}>{insight.tone}</Badge>}>
      <p>{insight.content}</p>
    </Panel>
  );
}

export function ReportCard({ report }: { readonly report: Report }) {
  return (
    <Panel title={report.title}>
      <div className="stack">
        <p className="soft">{report.summary}</p>
        {report.sections.map(({ heading, content }) => (
          <section key={heading}>
            <h3>{heading}</h3>
            <p>{content}</p>
          </section>
        ))}
      </div>
    </Panel>
  );
}
