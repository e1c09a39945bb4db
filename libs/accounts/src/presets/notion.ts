import type { Preset } from './preset.js';

export const notion: Preset = {
  title: 'Notion',
  authorization_endpoint: 'https://api.notion.com/v1/oauth/authorize',
  token_endpoint: 'https://api.notion.com/v1/oauth/token',
  revocation_endpoint: 'https://api.notion.com/v1/oauth/revoke',
  client_authentication: 'client_secret_basic',
  authorization_parameters: { owner: 'user' },
};
