import type { ToolContract } from '#lib/contracts';
import type { Handler } from '#lib/worker';
import type { UpstreamServices } from './services.js';

/** Answers beyond this are refused: they would fill stores and contexts. */
const maxDataBytes = 1024 * 1024;

/** Runs a tool of an outside server: the same attempt, time limit, retries, cache and trace as any other. */
export function outsideHandler(contract: ToolContract): Handler<UpstreamServices> {
  return {
    contract,
    run: async (given, { upstreams, signal, progress, network, refusal }) => {
      const { upstream } = contract;
      if (!upstream) throw new TypeError(`${contract.name} is no tool of an outside server`);
      if (contract.suspended !== undefined)
        throw refusal('UPSTREAM_CHANGED', `Tool '${contract.name}' is suspended: ${contract.suspended}`);
      const input = contract.input.parse(given);
      const call = { tool: upstream.tool, input, signal, timeoutMs: contract.timeoutMs, onProgress: progress };
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
          if (Buffer.byteLength(JSON.stringify(answer.data)) > maxDataBytes)
            throw refusal('UPSTREAM_REFUSED', `${upstream.server} answered with more than ${maxDataBytes} bytes; ask for less at once`);
          return answer.data;
      }
    },
  };
}
