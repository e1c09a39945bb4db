// What a server says in the header WWW-Authenticate (RFC 6750, section 3).

/** The most scopes, and characters of one, that a server can ask for. */
const mostScopes = 50;
const scopeShape = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/** A parameter of the challenge; null where it has none. */
export function challengeParameter(challenge: string, name: string): string | null {
  const [, quoted, bare] = new RegExp(`(?:^|[\\s,])${name}=(?:"([^"]*)"|([^\\s,"]+))`, 'i').exec(challenge) ?? [];
  return quoted ?? bare ?? null;
}

/** The scopes that a refusal of a request with a token asks for, empty where it names none; null where it is refused for something else. */
export function scopesWanted(status: number, challenge: string | null): readonly string[] | null {
  if (status !== 403 || challenge === null || challengeParameter(challenge, 'error') !== 'insufficient_scope') return null;
  const scopes = (challengeParameter(challenge, 'scope') ?? '').split(' ').filter((scope) => scopeShape.test(scope));
  return [...new Set(scopes)].slice(0, mostScopes);
}
