// Every expression of PromQL in ops/.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { root } from '#lib/command-line';

export interface Expression {
  /** File, and alert or panel. */
  readonly where: string;
  readonly expression: string;
  /** Of a dashboard, not of a rule. */
  readonly isPanel: boolean;
}

const rulesShape = z.looseObject({
  groups: z.array(
    z.looseObject({ rules: z.array(z.looseObject({ record: z.string().optional(), alert: z.string().optional(), expr: z.string() })) }),
  ),
});
const dashboardShape = z.looseObject({
  panels: z.array(z.looseObject({ title: z.string(), targets: z.array(z.looseObject({ expr: z.string() })) })),
});
const folder = 'ops/grafana/dashboards';

/** Grafana's variables are replaced by what they stand for when everything is chosen. */
export function expressions(): readonly Expression[] {
  const rules = rulesShape.parse(parse(readFileSync(join(root, 'ops/alerts.yml'), 'utf8'))).groups.flatMap((group) => group.rules);
  return [
    ...rules.map(({ record, alert, expr }) => ({ where: `ops/alerts.yml ${record ?? alert}`, expression: expr, isPanel: false })),
    ...readdirSync(join(root, folder)).flatMap((file) => panelsOf(`${folder}/${file}`)),
  ];
}

/** Metrics that the product itself must have; what rules record is not among them. */
export function metricsNamed(): readonly string[] {
  const names = expressions().flatMap(({ expression }) => expression.match(/(?<![\w:])(invoq|sse)_[a-z0-9_]+/g) ?? []);
  return [...new Set(names.map((name) => name.replace(/(?<=_seconds|_tokens)_(sum|count|bucket)$/, '')))];
}

function panelsOf(file: string): readonly Expression[] {
  const { panels } = dashboardShape.parse(JSON.parse(readFileSync(join(root, file), 'utf8')));
  return panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({
      where: `${file} ${title}`,
      expression: expr.replaceAll('$__rate_interval', '1m').replace(/\$\w+/g, '.*'),
      isPanel: true,
    })),
  );
}
