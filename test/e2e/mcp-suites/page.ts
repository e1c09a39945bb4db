// docs/mcp-conformance.md says what the suites found. Its tables are compared with what ran, so that they stay true; INVOQ_WRITE_PAGE=1 writes them.
import { readFileSync, writeFileSync } from 'node:fs';

const page = 'docs/mcp-conformance.md';

interface Columns {
  readonly role: 'server' | 'client';
  /** By revision, what each scenario found. */
  readonly runs: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  /** Why a scenario does not pass. */
  readonly reasons: Readonly<Record<string, string>>;
}

/** The page as it is, and as it would be after this run. A scenario that fails without a reason, or passes with one, is told in it. */
export function comparedPage({ role, runs, reasons }: Columns): { readonly is: string; readonly should: string } {
  const scenarios = [...new Set([...runs.values()].flatMap((run) => [...run.keys()]))].toSorted();
  const rows = scenarios.map((scenario) => {
    const results = [...runs.values()].map((run) => run.get(scenario));
    const cells = results.map((faults) => (faults === undefined ? '' : faults.length === 0 ? 'passes' : 'no'));
    const failed = results.some((faults) => faults !== undefined && faults.length > 0);
    const reason = reasons[scenario];
    const why = failed
      ? (reason ?? `NO REASON: ${results.flat().join(' ')}`)
      : reason === undefined
        ? ''
        : 'IT PASSES: take its reason away';
    return `| ${[`\`${scenario}\``, ...cells, why].join(' | ').trimEnd()} |`;
  });
  const head = ['scenario', ...runs.keys(), 'why not'];
  const table = [`| ${head.join(' | ')} |`, `| ${head.map(() => '---').join(' | ')} |`, ...rows].join('\n');
  const text = readFileSync(page, 'utf8');
  const [begin, end] = [`<!-- ${role} -->\n\n`, `\n\n<!-- end of ${role} -->`];
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  const should = text.slice(0, from) + table + text.slice(to);
  if (process.env['INVOQ_WRITE_PAGE'] === '1') writeFileSync(page, should);
  return { is: text.slice(from, to), should: table };
}
