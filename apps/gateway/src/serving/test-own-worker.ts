// A tenant's own worker in the process of a test, and calls of what it serves.
import { z } from 'zod';
import { serve, type ServedWorker, type Tool } from '#lib/serve';
import type { TestHttpGateway } from '../test-http-gateway.js';

interface OwnWorker {
  /** With the scope `tools:serve`. */
  readonly key: string;
  readonly tool: Tool;
  /** Attempts at the same time. */
  readonly concurrency?: number;
}

/** Serves a tool. Resolves once it is served, or the worker has stopped. */
export async function startOwnWorker({ port }: TestHttpGateway, { key, tool, ...options }: OwnWorker): Promise<ServedWorker> {
  const isServing = Promise.withResolvers<void>();
  const worker = serve({
    ...options,
    tools: [tool],
    url: `http://127.0.0.1:${port}`,
    key,
    domain: 'sales',
    stopsOnSignal: false,
    onEvent: (event) => event.kind === 'serving' && event.tools.length > 0 && isServing.resolve(),
  });
  await Promise.race([isServing.promise, worker.stopped]);
  return worker;
}

const accepted = z.looseObject({ job_id: z.string() });

/** Calls a tool without waiting for it. @returns the id of its job */
export async function begin(gateway: TestHttpGateway, name: string): Promise<string> {
  const { body } = await gateway.send(`/tools/${name}`, {
    method: 'POST',
    authorization: gateway.user,
    headers: { prefer: 'respond-async' },
    body: JSON.stringify({ text: 'hello' }),
  });
  return accepted.parse(JSON.parse(body)).job_id;
}
