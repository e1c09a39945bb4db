import type { Preset } from './preset.js';

export const linear: Preset = {
  title: 'Linear',
  authorization_endpoint: 'https://linear.app/oauth/authorize',
  token_endpoint: 'https://api.linear.app/oauth/token',
  revocation_endpoint: 'https://api.linear.app/oauth/revoke',
  client_authentication: 'client_secret_post',
  scope_separator: ',',
};
