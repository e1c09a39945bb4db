/** Attempts of calc_metrics that the worker itself has counted. */
export async function countedAttempts(workerHealthUrl: string): Promise<number> {
  const response = await fetch(`${workerHealthUrl}/metrics`);
  const text = await response.text();
  return Number(/^invoq_tool_attempts_total\{tool="calc_metrics"\} (\d+)/m.exec(text)?.[1] ?? 0);
}
