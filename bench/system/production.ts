export const limitsNeverReached: Readonly<Record<string, string>> = {
  RATE_LIMIT_PRO: '1000000',
  TOOL_QUOTA_PRO: '1000000000',
  TENANT_BYTES: '1000000000000',
};

/**
 * Settings of the processes that are measured: as in production, with limits that one key never reaches.
 */
export const productionEnv: Readonly<Record<string, string>> = {
  NODE_ENV: 'production',
  DRAIN_MS: '10000',
  ...limitsNeverReached,
};
