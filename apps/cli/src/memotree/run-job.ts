// Calls of tools at a gateway that run as jobs: their progress is shown, and a job outlasts this process and the gateway's.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { CommandError, loadDotEnv, settingOf } from '#lib/command-line';

const accepted = z.object({ job_id: z.string() });
const job = z.object({
  state: z.string(),
  progress: z.object({ progress: z.number(), message: z.string() }).nullable(),
  result: z
    .object({
      success: z.boolean(),
      data: z.unknown().optional(),
      warnings: z.array(z.string()).default([]),
      error: z.object({ message: z.string() }).optional(),
    })
    .nullable(),
});

export class Gateway {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** Where it is and who calls: from the environment, else what `npm start` wrote. */
  constructor(session: string) {
    loadDotEnv();
    const [url, key] = [settingOf('INVOQ_URL'), settingOf('INVOQ_API_KEY')];
    if (!url || !key) throw new CommandError('no gateway is known: set INVOQ_URL and INVOQ_API_KEY, or run `npm start` first');
    this.#url = url.replace(/\/$/, '');
    this.#headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-session-id': session };
  }

  /** Runs a tool to its end. The same call again, after a failure of this process, is answered by the first one's job. */
  async run<Data extends z.ZodType>(
    tool: string,
    input: object,
    { data, onProgress }: { data: Data; onProgress?: (text: string) => void },
  ): Promise<{ readonly data: z.output<Data>; readonly warnings: readonly string[] }> {
    const body = JSON.stringify(input);
    const response = await this.#fetch(`/tools/${tool}`, { method: 'POST', body, headers: { prefer: 'respond-async' } });
    const { job_id } = accepted.parse(response);
    let told: string | null = null;
    for (;;) {
      const { state, progress, result } = job.parse(await this.#fetch(`/jobs/${job_id}?wait=2`, {}));
      const now = progress && `${progress.progress} % ${progress.message}`;
      if (now && now !== told) onProgress?.(now);
      told = now;
      if (!['completed', 'failed', 'cancelled'].includes(state)) continue;
      if (result?.success) return { data: data.parse(result.data), warnings: result.warnings };
      throw new CommandError(`${tool}: ${result?.error?.message ?? state}`);
    }
  }

  async #fetch(
    path: string,
    { headers = {}, ...init }: { method?: string; body?: string; headers?: Record<string, string> },
  ): Promise<unknown> {
    const response = await fetch(this.#url + path, { ...init, headers: { ...this.#headers, ...headers } }).catch((error: unknown) => {
      throw new CommandError(
        `the gateway at ${this.#url} does not answer (${error instanceof Error ? error.message : 'unknown'}). Is it running?`,
      );
    });
    const body: unknown = await response.json().catch(() => null);
    if (response.ok) return body;
    const told = z.object({ error: z.object({ message: z.string() }) }).safeParse(body);
    throw new CommandError(`${path}: ${told.success ? told.data.error.message : `status ${response.status}`}`);
  }
}

/** A session of its own for each pair, so that runs meet only themselves. */
export function sessionFor(...parts: readonly string[]): string {
  return `files-${createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16)}`;
}
