import { isDeepStrictEqual } from 'node:util';
import { eventually, must } from '#lib/testing';
import type { Row } from '../row.js';
import { call, mustServe, register } from '../servers/registered.js';
import { RawServer, type RawScript } from './raw-server.js';

/** What somebody has seen go wrong with a server, and what must hold of it here. */
export interface Report extends Pick<Row, 'source' | 'name' | 'holds'> {
  readonly tools: readonly unknown[];
  readonly script?: Omit<RawScript, 'tools'>;
  /** Tools that may be rejected, by name and with a reason. */
  readonly rejects?: readonly string[];
  readonly calls: readonly ReportedCall[];
  readonly short?: boolean;
}

interface ReportedCall {
  /** As the server calls it. */
  readonly tool: string;
  readonly input: object;
  /** What the server must get. */
  readonly sees?: object;
  /** What a success must hold. */
  readonly holds?: RegExp;
  /** What a failure must say; without it the call must succeed. */
  readonly fails?: RegExp;
}

export function rowOf({ source, name, holds, tools, script, rejects = [], calls, short = false }: Report, index: number): Row {
  return {
    group: 'reports',
    name,
    source,
    holds,
    short,
    attempt: async (place) => {
      await using server = await RawServer.start({ ...script, tools });
      const registered = await register(place, { name: `report-${index}`, url: server.url });
      mustServe(registered, tools.length, rejects);
      for (const { tool, input, sees, holds: answer, fails } of calls) {
        const here = registered.served.find((one) => one.tool === tool)?.name;
        must(here !== undefined, `${tool} is not served`);
        const before = server.inputs.length;
        const { ok, text } = await call(place, here ?? '', input);
        must(ok === (fails === undefined), `${tool} ${JSON.stringify(input)} → ${text.slice(0, 400)}`);
        must((fails ?? answer ?? /./).test(text), `${tool} answered ${text.slice(0, 400)}`);
        if (sees) {
          await eventually(() => server.inputs.length > before, { what: `${tool} to be asked` });
          must(
            isDeepStrictEqual(server.inputs.at(-1), sees),
            `the server got ${JSON.stringify(server.inputs.at(-1))}, not ${JSON.stringify(sees)}`,
          );
        }
      }
      return `${registered.served.length} tools, ${calls.length} calls`;
    },
  };
}
