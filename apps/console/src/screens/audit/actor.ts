/** Who asked for a change: a user of a tenant, or a key that is nobody's. */
export type Actor =
  | { readonly kind: 'user'; readonly tenant: string; readonly user: string }
  | { readonly kind: 'key'; readonly tenant: string; readonly key: string };

/** Reads `tenant/user` and `tenant/key:id`, as the gateway names principals; null for anything else. */
export function actorOf(principal: string | null): Actor | null {
  const cut = principal?.indexOf('/') ?? -1;
  if (principal === null || cut < 1) return null;
  const tenant = principal.slice(0, cut).replaceAll('%2F', '/').replaceAll('%25', '%');
  const rest = principal.slice(cut + 1);
  if (rest.startsWith('key:')) return { kind: 'key', tenant, key: rest.slice(4) };
  return { kind: 'user', tenant, user: rest.replace(/^%/, '') };
}
