import type { Run } from '#lib/contracts';

export interface ErrorGroup {
  readonly tool: string;
  /** The tool's own code where it has one. */
  readonly code: string;
  /** Canonical. */
  readonly family: string;
  /** Newest first. */
  readonly runs: readonly Run[];
}

/** Runs with an error, by tool and code, the most frequent first. @param runs newest first */
export function errorGroups(runs: readonly Run[]): readonly ErrorGroup[] {
  const groups = Map.groupBy(
    runs.filter(({ error }) => error !== null),
    ({ tool_name, error }) => `${tool_name} ${error?.native_code ?? error?.code}`,
  );
  return [...groups.values()]
    .flatMap((members): ErrorGroup[] => {
      const [first] = members;
      if (!first?.error) return [];
      return [{ tool: first.tool_name, code: first.error.native_code ?? first.error.code, family: first.error.code, runs: members }];
    })
    .sort((a, b) => b.runs.length - a.runs.length);
}
