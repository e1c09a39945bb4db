import type { World } from './world/world.js';

/** What the cases are grouped by: OWASP API Security Top 10 (2023), OWASP Top 10 for LLM Applications (2025), and the rules of MCP. */
export const groups = {
  API1: 'Broken object level authorization',
  API2: 'Broken authentication',
  API3: 'Broken object property level authorization',
  API4: 'Unrestricted resource consumption',
  API5: 'Broken function level authorization',
  API6: 'Unrestricted access to sensitive business flows',
  API7: 'Server side request forgery',
  API8: 'Security misconfiguration',
  API9: 'Improper inventory management',
  API10: 'Unsafe consumption of APIs',
  LLM01: 'Prompt injection',
  LLM02: 'Sensitive information disclosure',
  LLM03: 'Supply chain',
  LLM04: 'Data and model poisoning',
  LLM05: 'Improper output handling',
  LLM06: 'Excessive agency',
  LLM07: 'System prompt leakage',
  LLM08: 'Vector and embedding weaknesses',
  LLM09: 'Misinformation',
  LLM10: 'Unbounded consumption',
  MCP: 'Security rules of the Model Context Protocol',
} as const;
export type Group = keyof typeof groups;

/** Throws if the system does not hold. */
export type Attack = (world: World) => Promise<void>;

export interface SecurityCase {
  readonly group: Group;
  /** A sentence about what holds; unique. */
  readonly name: string;
  /** Ids of the threat: `S13`, `finding 4`. */
  readonly threats: readonly string[];
  readonly attack: Attack;
}

/** Cases of one group by their names; each is its threats, separated by commas, and its attack. */
export function casesIn(
  group: Group,
  cases: Readonly<Record<string, readonly [threats: string, attack: Attack]>>,
): readonly SecurityCase[] {
  return Object.entries(cases).map(([name, [threats, attack]]) => ({ group, name, threats: threats.split(', ').filter(Boolean), attack }));
}
