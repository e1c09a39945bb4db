import type { Preset } from './preset.js';

/** Ask for the scope `offline_access`: without it there is no refresh token. */
export const microsoft: Preset = {
  title: 'Microsoft',
  authorization_endpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
  token_endpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
  client_authentication: 'client_secret_post',
};
