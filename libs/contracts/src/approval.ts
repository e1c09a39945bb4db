import { mostRestMs } from './rest.js';

/** When a call needs the word of a person before it runs, and how it is asked for. */
export interface ApprovalRule {
  /**
   * An expression of CEL over `args`, `caller` and `tool`, such as `args.amount > 100`. Without it every call needs an approval; a call for
   * which it cannot be worked out needs one too.
   */
  readonly when?: string | undefined;
  /** What the person is asked. Default: whether the tool may be called. */
  readonly message?: string | undefined;
  /** How long they have. Default: a day. At most a year. */
  readonly expires_ms?: number | undefined;
  /** True: who made the call may approve it, with the scope. Default false. */
  readonly self?: boolean | undefined;
}

/** A rule with its defaults. */
export interface Approval {
  readonly when: string | null;
  readonly message: string;
  readonly expiresMs: number;
  readonly self: boolean;
}

const defaultMs = 86_400_000;
const leastMs = 1_000;

/** The rule of a contract with its defaults; null where no call needs an approval. */
export function approvalOf({
  approval,
  title,
}: {
  readonly approval?: true | ApprovalRule | undefined;
  readonly title: string;
}): Approval | null {
  if (approval === undefined) return null;
  const rule = approval === true ? {} : approval;
  return {
    when: rule.when ?? null,
    message: rule.message ?? `May ${title} be called with these parameters?`,
    expiresMs: Math.min(mostRestMs, Math.max(leastMs, rule.expires_ms ?? defaultMs)),
    self: rule.self ?? false,
  };
}
