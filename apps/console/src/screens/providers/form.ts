// What is typed into the form of a provider, and what the gateway gets of it.
import type { NewProvider, Provider } from '#lib/client';

export const presets = ['github', 'google', 'linear', 'microsoft', 'notion', 'slack'] as const;
export const providerKinds = ['preset', 'issuer', 'endpoints', 'api_key'] as const;

export interface ProviderForm {
  readonly name: string;
  readonly title: string;
  readonly kind: (typeof providerKinds)[number];
  readonly preset: (typeof presets)[number];
  readonly issuer: string;
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

/** The secret of the client is never shown: it is typed again. */
export function formFrom(provider: Provider): ProviderForm {
  const preset = presets.find((one) => one === provider.preset);
  const kind = provider.kind === 'api_key' ? 'api_key' : preset ? 'preset' : provider.issuer === null ? 'endpoints' : 'issuer';
  return {
    ...newForm,
    name: provider.name,
    title: provider.title,
    kind,
    preset: preset ?? newForm.preset,
    issuer: provider.issuer ?? '',
    authorization: provider.authorization_endpoint ?? '',
    token: provider.token_endpoint ?? '',
    revocation: provider.revocation_endpoint ?? '',
    clientId: provider.client === 'registered' ? (provider.client_id ?? '') : '',
    scopes: provider.scopes.join(' '),
    origins: provider.return_origins.join(' '),
  };
}

/** Null while something is missing that the gateway would only refuse. */
export function bodyOf(form: ProviderForm): NewProvider | null {
  const { name, title, kind, preset, issuer, authorization, token, revocation, clientId, clientSecret, header, instructions } = form;
  const [scopes, origins] = [wordsIn(form.scopes), wordsIn(form.origins)];
  const isMissing = { preset: false, issuer: issuer === '', endpoints: authorization === '' || token === '', api_key: false }[kind];
  if (name === '' || isMissing) return null;
  const shared = { ...(title.trim() !== '' && { title: title.trim() }), ...(origins.length > 0 && { return_origins: origins }) };
  if (kind === 'api_key') {
    const sent = { ...(header !== '' && { header }), ...(instructions.trim() !== '' && { instructions: instructions.trim() }) };
    return { ...shared, api_key: Object.keys(sent).length > 0 ? sent : true };
  }
  return {
    ...shared,
    ...(kind === 'preset' && { preset }),
    ...(kind === 'issuer' && { issuer }),
    ...(kind === 'endpoints' && { authorization_endpoint: authorization, token_endpoint: token }),
    ...(kind === 'endpoints' && revocation !== '' && { revocation_endpoint: revocation }),
    ...(clientId !== '' && { client_id: clientId }),
    ...(clientSecret !== '' && { client_secret: clientSecret }),
    ...(scopes.length > 0 && { scopes }),
  };
}

function wordsIn(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}
