import { hasScope, markedPaths, principal, Refusal, scopesOf, type Caller, type Scope, type ToolContract } from '#lib/contracts';

/**
 * May this caller make this call? Asked before whatever is named is looked for, so the answer does not tell whether it
 * exists (AW-16). Throws PERMISSION_DENIED.
 */
export function authorise(caller: Caller, contract: ToolContract, input: Readonly<Record<string, unknown>>): void {
  const missing = missingScope(caller, contract);
  if (missing) throw denied(contract, `Tool '${contract.name}' needs a credential with the scope ${missing}`, missing);
  if (caller.byCode && markedPaths(contract.output, 'output', ['secret']).length > 0)
    throw new Refusal(
      'PERMISSION_DENIED',
      `The answers of '${contract.name}' have secrets, which are not for code of a model; call it by itself`,
    );
  const { subject } = contract;
  if (!subject || input[subject.param] === caller.userId || hasScope(caller, subject.anyScope)) return;
  throw denied(
    contract,
    `Parameter '${subject.param}' must be the caller's own user; others need the scope ${subject.anyScope}`,
    subject.anyScope,
  );
}

/** The first scope that any call of this tool needs and the caller does not have. */
export function missingScope(caller: Caller, contract: ToolContract): Scope | undefined {
  return scopesOf(contract).find((scope) => !hasScope(caller, scope));
}

/** A call is read by its own caller and by administrators. To everybody else it does not exist. */
export function mayRead(reader: Caller, maker: Caller): boolean {
  return principal(reader) === principal(maker) || hasScope(reader, 'admin');
}

function denied(contract: ToolContract, message: string, scope: Scope): Refusal {
  const native = contract.nativeCodes?.PERMISSION_DENIED;
  return new Refusal('PERMISSION_DENIED', message, {
    native_code: typeof native === 'string' ? native : undefined,
    extra: { required_scope: scope },
  });
}
