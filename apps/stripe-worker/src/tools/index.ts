// The handlers of this worker, a line a tool.
export * from './connect-generate-relink-url.js';
export * from './express-dashboard-login-link.js';
export * from './stripe-get-account-status.js';
export * from './supabase-get-merchant-row.js';
