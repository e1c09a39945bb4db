import type { Preset } from './preset.js';

/** Tokens of users, by the endpoints that follow OAuth 2. */
export const slack: Preset = {
  title: 'Slack',
  authorization_endpoint: 'https://slack.com/oauth/v2_user/authorize',
  token_endpoint: 'https://slack.com/api/oauth.v2.user.access',
  client_authentication: 'client_secret_post',
  scope_separator: ',',
};
