// All handlers of this worker. `npm run format` writes this list.
export { handleConnectGenerateRelinkUrl } from './connect-generate-relink-url.js';
export { handleExpressDashboardLoginLink } from './express-dashboard-login-link.js';
export { handleStripeGetAccountStatus } from './stripe-get-account-status.js';
export { handleSupabaseGetMerchantRow } from './supabase-get-merchant-row.js';
