/** Who is calling. It is made from a verified credential; nothing in the body or the query of a request can change it. */
export interface Caller {
  readonly tenantId: string;
  /** The user that the credential speaks for. Null for a key of the tenant itself. */
  readonly userId: string | null;
  readonly tier: Tier;
  readonly scopes: readonly string[];
  /** Patterns of names: the only tools that the credential sees and calls. Absent for one that has all that its scopes give. */
  readonly tools?: readonly string[] | undefined;
  /** The named set of its tenant that has the only tools that it sees and calls, under the names of the set. Absent for one that has all. */
  readonly toolset?: string | undefined;
  /** The identity that rate limits count: the public id of the key, or the subject of the token. */
  readonly credentialId: string;
  /** When a token ends, in epoch milliseconds. Absent for credentials whose end is looked up. */
  readonly credentialEndsAt?: number | undefined;
  /** Who calls in fact, when a key acts for a user with X-User-Id: limits count both. Absent for everybody else. */
  readonly actor?: { readonly userId: string | null; readonly tier: Tier } | undefined;
  /** Names the session of the console that the request came with, and ends with it. Absent without one. */
  readonly consoleSession?: string | undefined;
  /** The job of the chat turn, or of the code, that acts for the caller. Absent for a caller in person. */
  readonly turnId?: string | undefined;
  /** Code that a model wrote acts for the caller: a person approves what it writes. */
  readonly byCode?: true | undefined;
  /** The conversation of that turn. */
  readonly conversationId?: string | undefined;
}

/** Whom a call counts for: the key that acts, before the user for whom it acts. So users that a key invents give it no more. */
export function countedCallers<Who extends Pick<Caller, 'userId' | 'actor'>>(who: Who): readonly Who[] {
  return who.actor ? [{ ...who, ...who.actor, actor: undefined }, who] : [who];
}

export const tiers = ['free', 'pro', 'vip'] as const;
export type Tier = (typeof tiers)[number];

/** All scopes with their meaning. `*` includes every other. */
export const scopes = {
  '*': 'Everything, administration included.',
  admin: 'Keys, queues and the traces and jobs of every caller, of every tenant: for those who operate Invoq.',
  'tenant:admin':
    'Administer one tenant, its own: documents, approvals, outside servers, keys, sets of tools, policies, budgets, pauses, flows, audit, history and usage.',
  'act-as': 'Speak for a user of the same tenant with X-User-Id.',
  'tools:read': 'Call tools that only read.',
  'tools:write': 'Call tools that change something.',
  'tools:serve': 'Serve tools of the tenant from workers of its own.',
  schedules: 'Have calls made later, again and again, with the rights of the credential.',
  approvals: "Approve and decline other people's calls that wait for it, of the credential's tenant.",
  webhooks: "Have addresses told of what becomes of the tenant's calls.",
  'profile:read:any': 'Read the profile of any user of the tenant.',
  'merchant:any': 'Act for any merchant of the tenant.',
  'stripe:links': 'Make Stripe onboarding and dashboard links.',
} as const;
export type Scope = keyof typeof scopes;

export const scopeNames = Object.keys(scopes).filter((name): name is Scope => Object.hasOwn(scopes, name));

/** The scope of this name; undefined for any other text. */
export function scopeNamed(name: string): Scope | undefined {
  return scopeNames.find((scope) => scope === name);
}

/** The scopes of an ordinary user's key. */
export const userScopes: readonly Scope[] = ['tools:read', 'tools:write', 'stripe:links'];

/** Scopes that hold others. */
const wider: Readonly<Partial<Record<Scope, readonly string[]>>> = {
  'tenant:admin': ['admin'],
  webhooks: ['tenant:admin', 'admin'],
};

/** Whether a caller has a scope, one that holds it, or all of them. */
export function hasScope({ scopes: held }: Pick<Caller, 'scopes'>, scope: Scope): boolean {
  return held.includes('*') || held.includes(scope) || (wider[scope] ?? []).some((one) => held.includes(one));
}

/** All that a caller of a tool needs: to read or to write, and what the contract names besides. */
export function scopesOf({
  effect,
  scopes: own = [],
}: {
  readonly effect: 'read' | 'write';
  readonly scopes?: readonly Scope[];
}): readonly Scope[] {
  return [effect === 'read' ? 'tools:read' : 'tools:write', ...own];
}

/** Whether the id of a credential is that of an API key, which can be revoked. Tokens and guests end by themselves. */
export function isApiKey(credentialId: string): boolean {
  return !/^(jwt|guest):/.test(credentialId);
}

/**
 * The caller's name in keys, logs and ownership checks: `tenant/user`, or `tenant/key:id` for a key of the tenant itself. Different
 * callers have different names, whatever their ids hold: `/` and `%` of a tenant are escaped, and so is a user id that looks like a key.
 */
export function principal({ tenantId, userId, credentialId }: Pick<Caller, 'tenantId' | 'userId' | 'credentialId'>): string {
  // Asked for several times in each call: hardly any id has something to escape.
  const tenant = escaped.test(tenantId) ? tenantId.replaceAll(/[%/]/g, encodeURIComponent) : tenantId;
  if (userId === null) return `${tenant}/key:${credentialId}`;
  return `${tenant}/${userId.startsWith('%') || userId.startsWith('key:') ? '%' : ''}${userId}`;
}

const escaped = /[%/]/;
