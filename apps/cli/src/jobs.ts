import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { Invoq, Trace } from '#lib/client';
import { jobStates } from '#lib/contracts';
import { print, UsageError } from '#lib/command-line';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

export async function listTools(invoq: Invoq, args: readonly string[]): Promise<number> {
  const { values } = parsed({ args: [...args], options: { domain: text, json: flag } });
  const tools = await invoq.tools(values.domain === undefined ? {} : { domain: values.domain });
  if (values.json) print(JSON.stringify(tools, null, 2));
  else
    for (const tool of tools)
      print(
        `${tool.name.padEnd(28)} ${tool.version.padEnd(8)} ${tool.deprecated ? '(deprecated) ' : ''}${firstSentence(tool.description)}`,
      );
  return 0;
}

export async function listJobs(invoq: Invoq, args: readonly string[]): Promise<number> {
  const { values } = parsed({ args: [...args], options: { state: text, tool: text, limit: text, json: flag } });
  const { tool, limit, json } = values;
  const state = jobStates.find((one) => one === values.state);
  const { jobs } = await invoq.jobs({ ...(state && { state }), ...(tool && { tool }), ...(limit && { limit: Number(limit) }) });
  if (json) print(JSON.stringify(jobs, null, 2));
  else
    for (const job of jobs) print(`${job.job_id}  ${job.state.padEnd(9)} ${job.tool_name.padEnd(28)} ${job.created_at}  ${job.trace_id}`);
  return 0;
}

export async function showJob(invoq: Invoq, args: readonly string[]): Promise<number> {
  const { values, positionals } = parsed({ args: [...args], options: { wait: flag, cancel: flag }, allowPositionals: true });
  const [id] = positionals;
  if (!id) throw new UsageError('name the job: invoq job <id>');
  if (values.cancel) await invoq.cancel(id);
  else if (values.wait) await invoq.wait(id);
  print(JSON.stringify(await invoq.job(id), null, 2));
  return 0;
}

export async function showTrace(invoq: Invoq, args: readonly string[]): Promise<number> {
  const { values, positionals } = parsed({ args: [...args], options: { json: flag }, allowPositionals: true });
  const [id] = positionals;
  if (!id) throw new UsageError('name the trace: invoq trace <trace id>');
  const trace = await invoq.trace(id);
  if (values.json) print(JSON.stringify(trace, null, 2));
  else {
    print(`${trace.trace_id}  ${trace.started_at}  ${trace.duration_ms} ms`);
    for (const line of drawn(trace)) print(line);
  }
  return 0;
}

/** A line a span, with where in the whole it lies. */
function* drawn({ spans, duration_ms: whole }: Trace): Generator<string> {
  const width = 32;
  for (const span of spans) {
    const start = Math.min(width - 1, Math.floor((span.offset_ms / (whole || 1)) * width));
    const length = Math.max(1, Math.min(width - start, Math.round((span.duration_ms / (whole || 1)) * width)));
    yield `  ${' '.repeat(start)}${'█'.repeat(length)}${' '.repeat(width - start - length)} ${span.duration_ms.toFixed(1).padStart(9)} ms  ${span.name}`;
  }
}

function firstSentence(description: string): string {
  return /^.*?[.。](?=\s|$)/s.exec(description)?.[0] ?? description;
}

function parsed<Config extends ParseArgsConfig>(config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
