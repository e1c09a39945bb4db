import { databaseCredential, Refusal } from '#lib/contracts';

interface OtherSecrets {
  readonly headers: Readonly<Record<string, string>>;
  readonly given: Readonly<Record<string, string>>;
}

/**
 * The address of a database without its login, and the whole as a credential, which is sealed. No message has the address in it.
 * @throws Refusal INVALID_PARAMS
 */
export function withoutLogin(
  address: string,
  { headers, given }: OtherSecrets,
): { readonly url: string; readonly credentials: Readonly<Record<string, string>> } {
  if (Object.keys({ ...headers, ...given }).length > 0)
    throw refused('headers', "A database has neither 'headers' nor 'credentials': its login stands in 'url'");
  const url = URL.parse(address);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol))
    throw refused('url', "Parameter 'url' must be postgres://user:password@host:5432/database; in a login : is %3A, / is %2F and @ is %40");
  url.username = '';
  url.password = '';
  return { url: url.href, credentials: { [databaseCredential]: address } };
}

function refused(path: string, message: string): Refusal {
  return new Refusal('INVALID_PARAMS', message, { details: [{ path, message }] });
}
