import type { Preset } from './preset.js';

export const github: Preset = {
  title: 'GitHub',
  authorization_endpoint: 'https://github.com/login/oauth/authorize',
  token_endpoint: 'https://github.com/login/oauth/access_token',
  client_authentication: 'client_secret_post',
};
