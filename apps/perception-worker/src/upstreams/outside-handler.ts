import { z } from 'zod';
import { breaksOfAnswer, longTextParameters, type ToolContract } from '#lib/contracts';
import { cutTexts } from '#lib/retrieval';
import type { Handler } from '#lib/handlers';
import type { UpstreamServices } from './services.js';
import { unreadable } from './upstream-failure.js';

type TextLimits = Parameters<typeof cutTexts>[1];

/** Larger answers are refused: they would fill stores and model contexts. */
const maxDataBytes = 1024 * 1024;
/** Faults of an answer that are told. */
const maxFaults = 5;

/** The handler of a tool of an outside server. Time limit, retries, cache and trace are those of every other tool. */
export function outsideHandler(contract: ToolContract): Handler<UpstreamServices> {
  return {
    contract,
    run: async (given, { upstreams, caller, signal, progress, recordUpstreamAnswer, network, refusal, warn }) => {
      const { upstream } = contract;
      if (!upstream) throw new TypeError(`${contract.name} is no tool of an outside server`);
      // Whoever gave the call to this handler has found it among the tools of the caller's tenant; here it is certain.
      if (upstream.tenant !== null && upstream.tenant !== caller.tenantId) throw new TypeError(`${contract.name} is another tenant's`);
      if (contract.suspended !== undefined)
        throw refusal('UPSTREAM_CHANGED', `Tool '${contract.name}' is suspended: ${contract.suspended}`);
      const { input, limits } = splitInput(contract.input.parse(given), upstream.cutsText);
      const { timeoutMs, idempotent = true } = contract;
      const call = { tool: upstream.tool, input, signal, timeoutMs, idempotent, onProgress: progress, recordUpstreamAnswer };
      const answer = await network(() => upstreams.call(upstream, call));
      switch (answer.kind) {
        case 'changed':
          throw refusal('UPSTREAM_CHANGED', `Tool '${contract.name}' is suspended: ${answer.reason}`);
        case 'refused':
          throw refusal(
            answer.invalidParams ? 'UPSTREAM_INVALID_PARAMS' : 'UPSTREAM_REFUSED',
            `${upstream.server} says: ${answer.message}`,
          );
        case 'done':
          for (const fault of breaksOfAnswer(contract, answer.data).slice(0, maxFaults))
            warn(`${upstream.server} answered what it has not declared: ${fault}`);
          return checked(contract, { data: answer.data, limits }, () =>
            refusal('UPSTREAM_REFUSED', `${upstream.server} answered with more than ${maxDataBytes} bytes; ask for less at once`),
          );
      }
    },
  };
}

/** Separates the parameters of the server from `max_length` and `return_summary`, which are ours. */
function splitInput(
  parsed: Readonly<Record<string, unknown>>,
  cutsText: boolean,
): { input: Record<string, unknown>; limits: TextLimits | null } {
  if (!cutsText) return { input: { ...parsed }, limits: null };
  const { max_length, return_summary, ...input } = parsed;
  return { input, limits: z.object(longTextParameters).parse({ max_length, return_summary }) };
}

/** Cuts long texts as the caller asked, and adds what was cut (TU-54). */
function cutLongTexts(data: unknown, limits: TextLimits): unknown {
  const { value, truncation } = cutTexts(data, limits);
  return truncation && typeof value === 'object' ? { ...value, truncated: true, truncation_info: truncation } : value;
}

/**
 * The data as the caller gets it.
 * @throws Failure of the kind `service` for data that is too deep
 */
function checked(
  contract: ToolContract,
  { data, limits }: { readonly data: unknown; readonly limits: TextLimits | null },
  tooLarge: () => Error,
): unknown {
  let size: number;
  let shown: unknown;
  try {
    shown = contract.output.parse(limits ? cutLongTexts(data, limits) : data);
    size = Buffer.byteLength(JSON.stringify(shown));
  } catch (error) {
    throw unreadable(contract.upstream?.server ?? contract.name, error);
  }
  if (size > maxDataBytes) throw tooLarge();
  return shown;
}
