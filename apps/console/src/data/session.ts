// Who is signed in. The session lives in a cookie that only the gateway reads; here is what the gateway says about it.
import { useMutation, useQuery } from '@tanstack/react-query';
import { InvoqError } from '#lib/client';
import type { ConsoleIssuerShown, ConsoleSession, ConsoleSignedOut, Scope } from '#lib/contracts';
import { gateway } from './gateway.js';
import { queries } from './queries.js';
import { queryString } from './query-string.js';

const sessionKey = ['session'] as const;

/** Null when nobody is signed in; undefined while that is not known. */
export function useSession() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: async (): Promise<ConsoleSession | null> => {
      try {
        return await gateway.json<ConsoleSession>('console/session');
      } catch (error) {
        if (error instanceof InvoqError && error.code === 'UNAUTHORIZED') return null;
        throw error;
      }
    },
    staleTime: 60_000,
  });
}

export type Credential = { readonly key: string } | { readonly ticket: string };

/** Throws InvoqError. */
export async function signIn(credential: Credential): Promise<void> {
  const session = await gateway.json<ConsoleSession>('console/session', { method: 'POST', body: credential });
  // What another caller has seen is not shown to this one.
  forgetOthers();
  queries.setQueryData(sessionKey, session);
}

function forgetOthers(): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
}

export function useSignIn() {
  return useMutation({ meta: { isSignIn: true }, mutationFn: signIn });
}

export function useSignOut() {
  return useMutation({
    mutationFn: async () => {
      const response = await gateway.send('console/session', { method: 'DELETE' });
      const left: ConsoleSignedOut | null = response.status === 200 ? await response.json() : null;
      return left;
    },
    onSuccess: (left) => {
      forgetOthers();
      queries.setQueryData(sessionKey, null);
      // The issuer signs out too, and sends the browser back.
      if (left) location.assign(left.location);
    },
  });
}

/** The issuer by which people may sign in besides keys. */
export function useIssuer() {
  return useQuery({ queryKey: ['issuer'], queryFn: async () => (await gateway.json<ConsoleIssuerShown>('console/oidc')).issuer });
}

/** Where a browser goes to sign in at the issuer. It comes back to the screen that it wanted. */
export function issuerAddress(): string {
  return `/console/oidc/begin${queryString({ to: location.pathname.replace(/^\/console/, '') + location.search })}`;
}

/** The session has ended, or its key was revoked. */
export function forgetSession(): void {
  queries.setQueryData(sessionKey, null);
}

/** Whether the present caller has a scope. */
export function useScope(scope: Scope): boolean {
  const { data } = useSession();
  return data !== undefined && data !== null && mayUse(data, scope);
}

/** Scopes that hold others, as the gateway has it. */
const wider: Readonly<Partial<Record<Scope, readonly Scope[]>>> = { 'tenant:admin': ['admin'], webhooks: ['tenant:admin', 'admin'] };

export function mayUse({ scopes }: { readonly scopes: readonly string[] }, scope: Scope): boolean {
  return scopes.includes('*') || scopes.includes(scope) || (wider[scope] ?? []).some((one) => scopes.includes(one));
}

/** How the gateway names whoever is signed in where it says whose something is. */
export function principalOf({ tenant_id, user_id, credential_id }: ConsoleSession): string {
  const tenant = tenant_id.replaceAll(/[%/]/g, encodeURIComponent);
  if (user_id === null) return `${tenant}/key:${credential_id}`;
  return `${tenant}/${user_id.replace(/^(?=%|key:)/, '%')}`;
}

/** What an address brings in its fragment for the sign-in, which is taken out of the address at once. Null without it. */
export function takeFromAddress(name: 'ticket' | 'sign_in_fault'): string | null {
  const value = new URLSearchParams(location.hash.slice(1)).get(name);
  if (value !== null) history.replaceState(history.state, '', location.pathname + location.search);
  return value;
}
