import type { CallSums, SumGroup } from '#lib/contracts';

type Sum = CallSums['sums'][number];

const figures = [
  'calls',
  'completed',
  'failed',
  'cancelled',
  'attempts',
  'execution_ms',
  'p50_ms',
  'p95_ms',
  'p99_ms',
  'input_tokens',
  'output_tokens',
  'cost_micros',
] as const satisfies readonly (keyof Sum)[];
const groups = {
  day: 'day',
  tenant: 'tenant_id',
  user: 'user_id',
  key: 'credential_id',
  tool: 'tool_name',
  model: 'model',
  conversation: 'conversation_id',
} as const satisfies Record<SumGroup, keyof Sum>;

/** Whether an Accept header names CSV, and no JSON. */
export function asksForCsv(accept: string | undefined): boolean {
  return accept !== undefined && /\btext\/csv\b/i.test(accept) && !/json/i.test(accept);
}

/** Sums by RFC 4180, with a line of names. */
export function sumsAsCsv(by: readonly SumGroup[], sums: readonly Sum[]): string {
  const columns = [...by.map((group) => groups[group]), ...figures];
  return [columns, ...sums.map((sum) => columns.map((column) => sum[column] ?? ''))]
    .map((cells) => `${cells.map((cell) => cellOf(cell)).join(',')}\r\n`)
    .join('');
}

/** Callers name users and tools, and a spreadsheet takes a text that begins like a formula for one. */
function cellOf(cell: string | number): string {
  const text = typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
