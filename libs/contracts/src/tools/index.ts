// Every tool of the product, a line a tool. A contract here without a handler in its worker, or the reverse, does not boot.
export * from './perception/generate-report.js';
export * from './knowledge/citation-helper.js';
export * from './knowledge/get-document.js';
export * from './knowledge/import-documents.js';
export * from './knowledge/search-documents.js';
export * from './knowledge/search-knowledge.js';
export * from './perception/get-weather.js';
export * from './perception/get-weather-v1.js';
export * from './perception/get-weather-v2.js';
export * from './profile/calc-metrics.js';
export * from './profile/user-profile-lookup.js';
export * from './stripe/connect-generate-relink-url.js';
export * from './stripe/express-dashboard-login-link.js';
export * from './stripe/stripe-get-account-status.js';
export * from './stripe/supabase-get-merchant-row.js';
