// Pages of tables that are read from the sources: error codes, settings, metrics, alerts, commands.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { root } from '#lib/command-line';
import { errorCodes, failureCode } from '#lib/contracts';
import { processMetrics } from '#lib/platform';
// Registers them.
import { Metrics } from '#lib/transport';
import { commands } from '../../apps/cli/src/commands.js';
import { block, code, plain, tableOf, type Page } from './page.js';

export function errorsPage(): Page {
  const rows = Object.entries(errorCodes).map(([name, { http, jsonRpc, retryable, advice }]) => [
    code(name),
    String(http),
    String(jsonRpc),
    retryable ? 'yes' : 'no',
    advice,
  ]);
  const failures = Object.entries(failureCode).map(([kind, name]) => [code(kind), code(name)]);
  return {
    slug: 'reference/errors',
    title: 'Error codes',
    description: 'Every code that a call can answer with, its HTTP status, and what you can do about it.',
    body: `An error has the same form at every door: a \`code\`, a \`message\` for people, \`retryable\`, and a \`hint\`. Decide by \`retryable\`: when it is true, the same
call may work later, after \`retry_after_ms\` where it is given.

${tableOf(['code', 'HTTP', 'JSON-RPC', 'retryable', 'what to do'], rows)}

A tool can have errors of its own. Each belongs to one of these codes, and the page of the tool lists them.

## Failures of an attempt

Invoq tries an attempt again by the kind of its failure, before you hear of it. When the retries of a kind are used up, you get its code.

${tableOf(['kind', 'code'], failures)}`,
  };
}

/** Sections and settings of `.env.example`: comment lines belong to the setting below them. */
export function settingsPage(): Page {
  const sections = readFileSync(join(root, '.env.example'), 'utf8')
    .split(/^# --- /m)
    .slice(1);
  const body = sections.map((section) => {
    const [heading = '', ...lines] = section.split('\n');
    const rows: (readonly string[])[] = [];
    let comment: string[] = [];
    for (const line of lines) {
      const [, name, example] = /^#([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
      if (name !== undefined) {
        rows.push([code(name), plain(comment.join(' ')), example ? code(example) : '']);
        comment = [];
      } else if (line.startsWith('# ')) comment.push(line.slice(2).trim());
    }
    return `## ${heading.replace(/ -+$/, '')}\n\n${tableOf(['setting', 'meaning', 'example'], rows)}`;
  });
  return {
    slug: 'reference/settings',
    title: 'Settings',
    description: 'Every setting of Invoq, from the environment or a file .env.',
    body: `Put settings into the environment, or into a file \`.env\` beside \`package.json\`. An invalid value stops the start with a list of what is wrong.\n\n${body.join('\n\n')}`,
  };
}

export async function metricsPage(): Promise<Page> {
  const { registry } = new Metrics();
  const all = [...(await registry.getMetricsAsJSON()), ...(await processMetrics.getMetricsAsJSON())];
  const labels = (name: string): readonly string[] =>
    z
      .looseObject({ labelNames: z.array(z.string()).default([]) })
      .parse(registry.getSingleMetric(name) ?? processMetrics.getSingleMetric(name)).labelNames;
  const rows = all
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map(({ name, type, help }) => [code(name), String(type), labels(name).map(code).join(', '), plain(help)]);
  return {
    slug: 'reference/metrics',
    title: 'Metrics',
    description: 'What every process tells Prometheus.',
    body: `Read them at \`/metrics\`: of the gateway with a key of the scope \`admin\` or on \`METRICS_PORT\`, of a worker on its \`HEALTH_PORT\`. Node's own metrics come with them.\n\n${tableOf(['metric', 'type', 'labels', 'meaning'], rows)}`,
  };
}

const alertFile = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.looseObject({
          alert: z.string().optional(),
          expr: z.union([z.string(), z.number()]),
          for: z.string().default('at once'),
          labels: z.record(z.string(), z.string()).default({}),
          annotations: z.record(z.string(), z.string()).default({}),
        }),
      ),
    }),
  ),
});

export function alertsPage(): Page {
  const { groups } = alertFile.parse(parse(readFileSync(join(root, 'ops/alerts.yml'), 'utf8')));
  const sections = groups
    .flatMap(({ rules }) => rules)
    .flatMap(({ alert, expr, for: time, labels, annotations }) => {
      const anchor = annotations['runbook']?.split('#')[1];
      const todo = anchor ? `[What to do](/docs/how-to/operate/#${anchor})` : '';
      const severity = labels['severity'] ?? 'ticket';
      return alert
        ? [
            `## ${alert}\n\n${plain(annotations['summary'] ?? '')}\n\nSeverity ${code(severity)}, after ${time}. ${todo}\n\n${block('promql', String(expr))}`,
          ]
        : [];
    });
  return {
    slug: 'reference/alerts',
    title: 'Alerts',
    description: 'The alerts for Prometheus in ops/alerts.yml, and what to do about each.',
    body: `Load \`ops/alerts.yml\` into Prometheus.\n\n${sections.join('\n\n')}`,
  };
}

export async function commandsPage(): Promise<Page> {
  const sections = await Promise.all(
    commands.map(async ({ name, summary, load }) => {
      const { usage, help } = await load();
      return `## invoq ${name}\n\n${plain(summary)}.\n\n${block('text', `npx invoq ${name} ${usage}`.trimEnd() + (help ? `\n\n${help}` : ''))}`;
    }),
  );
  return {
    slug: 'reference/command-line',
    title: 'Command line',
    description: 'All commands of invoq, with their options.',
    body: `In a clone, run \`npx invoq <command>\`. The gateway and your key are \`INVOQ_URL\` and \`INVOQ_API_KEY\`; without them those of \`npm start\` are taken. The exit code is 0 when
it is done, 1 when it failed, 2 for wrong usage, 130 when you stopped it.\n\n${sections.join('\n\n')}`,
  };
}
