/** One dependency of a process. Resolves when it works; its error says why not. */
export type HealthCheck = () => Promise<unknown>;

export interface Health {
  readonly status: 'ready' | 'not-ready';
  readonly dependencies: Readonly<Record<string, { readonly state: 'up' | 'down'; readonly latency_ms: number; readonly error?: string }>>;
}

const checkTimeoutMs = 1_500;

/**
 * Asks every dependency at the same time; none may take longer than 1.5 s.
 */
export async function checkHealth(checks: Readonly<Record<string, HealthCheck>>, stopping = false): Promise<Health> {
  const results = await Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await ask(check)] as const));
  const allUp = results.every(([, result]) => result.state === 'up');
  return { status: allUp && !stopping ? 'ready' : 'not-ready', dependencies: Object.fromEntries(results) };
}

async function ask(check: HealthCheck): Promise<Health['dependencies'][string]> {
  const start = performance.now();
  const latency = () => Math.round(performance.now() - start);
  const timeout = AbortSignal.timeout(checkTimeoutMs);
  const late = new Promise<never>((_, reject) =>
    timeout.addEventListener('abort', () => reject(new Error(`no answer in ${checkTimeoutMs} ms`))),
  );
  try {
    await Promise.race([check(), late]);
    return { state: 'up', latency_ms: latency() };
  } catch (error) {
    return { state: 'down', latency_ms: latency(), error: reason(error) };
  }
}

/** Names the fault without addresses or credentials. */
function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors[0]) return reason(error.errors[0]);
  if (!(error instanceof Error)) return 'failed';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return code ?? error.message.split('\n').at(-1)?.slice(0, 200) ?? 'failed';
}
