import type { Preset } from './preset.js';

/** Only who asks for offline access gets a refresh token, and only with a consent. */
export const google: Preset = {
  title: 'Google',
  issuer: 'https://accounts.google.com',
  authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
  token_endpoint: 'https://oauth2.googleapis.com/token',
  revocation_endpoint: 'https://oauth2.googleapis.com/revoke',
  client_authentication: 'client_secret_post',
  authorization_parameters: { access_type: 'offline', prompt: 'consent', include_granted_scopes: 'true' },
};
