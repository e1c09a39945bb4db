import { z } from 'zod';
import type { GuardedFetch } from './guarded-fetch.js';
import { readDefinitions } from './read-definition.js';
import { httpFailure } from './upstream-failure.js';
import { SilentUpstream, truncateMessage, type ToolListing, type Upstream, type UpstreamAnswer, type UpstreamCall } from './upstream.js';
import { isJsonObject, jsonIn } from '#lib/contracts';

const listed = z.object({ tools: z.array(z.unknown()) });
/** Most definitions of a list that are read. */
const maxListed = 2_000;
const envelope = z.looseObject({ success: z.boolean(), data: z.unknown().optional(), error: z.unknown().optional() });
const fault = z.union([z.string(), z.looseObject({ code: z.string().optional(), message: z.string() })]);

/** A server of the REST shape in the Tool Use document: `POST /tools/list` and `POST /tools/call` (TU-94, C-80). */
export class RestUpstream extends SilentUpstream implements Upstream {
  readonly kind = 'rest';
  readonly #base: string;
  readonly #fetch: GuardedFetch;

  constructor(url: string, fetch: GuardedFetch) {
    super();
    this.#base = url.replace(/\/+$/, '');
    this.#fetch = fetch;
  }

  async list(signal: AbortSignal): Promise<ToolListing> {
    const { tools } = listed.parse(await this.#post('/tools/list', {}, { signal }));
    return readDefinitions(tools.slice(0, maxListed).map(inOurForm));
  }

  async call({ tool, input, signal, timeoutMs, recordUpstreamAnswer }: UpstreamCall): Promise<UpstreamAnswer> {
    const body = await this.#post(
      '/tools/call',
      { name: tool, arguments: input },
      { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]), recordUpstreamAnswer },
    );
    const parsed = envelope.safeParse(body);
    if (!parsed.success) return { kind: 'done', data: asObject(body) };
    if (parsed.data.success) return { kind: 'done', data: asObject(parsed.data.data) };
    const said = fault.safeParse(parsed.data.error);
    const message = !said.success ? 'The tool failed without a word' : typeof said.data === 'string' ? said.data : said.data.message;
    const invalidParams = said.success && typeof said.data === 'object' && said.data.code === 'INVALID_PARAMS';
    return { kind: 'refused', invalidParams, message: truncateMessage(message) };
  }

  async close(): Promise<void> {
    // Nothing is held between calls.
  }

  async #post(
    path: string,
    body: object,
    { signal, recordUpstreamAnswer }: Pick<UpstreamCall, 'signal'> & Partial<Pick<UpstreamCall, 'recordUpstreamAnswer'>>,
  ): Promise<unknown> {
    const response = await this.#fetch(this.#base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
    const text = await response.text();
    const answer = jsonIn(text);
    recordUpstreamAnswer?.({ api: `POST ${path}`, status: response.status, body: answer ?? text });
    // An error envelope says more than its status, unless the server itself failed.
    if (!response.ok && !(envelope.safeParse(answer).success && response.status < 500))
      throw httpFailure(this.#base, response.status, { retryAfter: response.headers.get('retry-after') });
    if (answer === undefined) throw httpFailure(this.#base, response.status);
    return answer;
  }
}

/** A definition in the form of the Tool Use document, of Anthropic or of MCP: they differ in the names of the schema and of the marks. */
function inOurForm(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given;
  const { inputSchema, parameters, input_schema, output_schema, read_only, idempotent, ...rest }: Record<string, unknown> = { ...given };
  return {
    ...rest,
    inputSchema: inputSchema ?? parameters ?? input_schema ?? { type: 'object' },
    outputSchema: output_schema,
    annotations: { readOnlyHint: read_only, idempotentHint: idempotent },
  };
}

/** Results are objects; anything else is wrapped as `result`. */
function asObject(value: unknown): object {
  return isJsonObject(value) ? value : { result: value };
}
