// What is typed into the form of a provider, and what the gateway gets of it.
import type { NewProvider, Provider } from '#lib/client';

export const presets = ['github', 'google', 'linear', 'microsoft', 'notion', 'slack'] as const;
export const providerKinds = ['preset', 'issuer', 'resource', 'endpoints', 'api_key'] as const;

export interface ProviderForm {
  readonly name: string;
  readonly title: string;
  readonly kind: (typeof providerKinds)[number];
  readonly preset: (typeof presets)[number];
  readonly issuer: string;
  readonly resource: string;
  readonly authorization: string;
  readonly token: string;
  readonly revocation: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: string;
  readonly origins: string;
  readonly header: string;
  readonly instructions: string;
}

export const newForm: ProviderForm = {
  name: '',
  title: '',
  kind: 'preset',
  preset: 'github',
  issuer: '',
  resource: '',
  authorization: '',
  token: '',
  revocation: '',
  clientId: '',
  clientSecret: '',
  scopes: '',
  origins: '',
  header: '',
  instructions: '',
};

type Given = Provider['given'];

/** The secret of the client is never shown: it is typed again. */
export function formFrom({ name, given }: Pick<Provider, 'name' | 'given'>): ProviderForm {
  const { preset, issuer = '', resource = '', scopes = [], return_origins: origins = [], api_key: key } = given;
  return {
    ...newForm,
    name,
    title: given.title ?? '',
    kind: kindOf(given),
    preset: presets.find((one) => one === preset) ?? newForm.preset,
    issuer,
    resource,
    authorization: given.authorization_endpoint ?? '',
    token: given.token_endpoint ?? '',
    revocation: given.revocation_endpoint ?? '',
    clientId: given.client_id ?? '',
    scopes: scopes.join(' '),
    origins: origins.join(' '),
    ...(typeof key === 'object' && { header: key.header ?? '', instructions: key.instructions ?? '' }),
  };
}

/**
 * Null while something is missing that the gateway would only refuse.
 * @param before what stands there: what the form has no field for stays, as long as the kind does
 */
export function bodyOf(form: ProviderForm, before?: Given): NewProvider | null {
  const { name, title, kind, preset, issuer, resource, authorization, token, revocation, clientId, clientSecret } = form;
  const missing = {
    preset: false,
    issuer: issuer === '',
    resource: resource === '',
    endpoints: authorization === '' || token === '',
    api_key: false,
  };
  if (name === '' || missing[kind]) return null;
  const kept = before && kindOf(before) === kind ? before : {};
  const shared = { title: title.trim(), return_origins: wordsIn(form.origins) };
  if (kind === 'api_key') return filled({ ...kept, ...shared, api_key: keyOf(form, kept) });
  return filled({
    ...kept,
    ...shared,
    ...(kind === 'preset' && { preset }),
    ...(kind === 'issuer' && { issuer }),
    ...(kind === 'resource' && { resource }),
    ...(kind === 'endpoints' && { authorization_endpoint: authorization, token_endpoint: token, revocation_endpoint: revocation }),
    client_id: clientId,
    client_secret: clientSecret,
    scopes: wordsIn(form.scopes),
  });
}

function kindOf({ preset, issuer, resource, authorization_endpoint: endpoint, api_key: key }: Given): ProviderForm['kind'] {
  if (key !== undefined) return 'api_key';
  if (preset !== undefined) return 'preset';
  if (issuer !== undefined) return 'issuer';
  return endpoint === undefined && resource !== undefined ? 'resource' : 'endpoints';
}

function keyOf({ header, instructions }: ProviderForm, { api_key: before }: Given): NonNullable<NewProvider['api_key']> {
  const sent = filled({ ...(typeof before === 'object' && before), header: header.trim(), instructions: instructions.trim() });
  return Object.keys(sent).length > 0 ? sent : true;
}

/** Without what is empty. */
function filled<Body extends object>(body: Body): Partial<Body> {
  const left: Partial<Body> = { ...body };
  for (const name in left) if (left[name] === '' || (Array.isArray(left[name]) && left[name].length === 0)) delete left[name];
  return left;
}

function wordsIn(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}
