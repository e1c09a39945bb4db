/**
 * Time limit and retries of tools that ask services of others, which may be away for seconds: 10 s an attempt; network three times and
 * timeout twice, after 2, 4 and 8 s; a rate limit after its `Retry-After`, or a second where there is none.
 */
export const upstreamRules = {
  timeoutMs: 10_000,
  retry: {
    network: { times: 3, baseMs: 2_000, baseIsSetting: true },
    timeout: { times: 2, baseMs: 2_000, baseIsSetting: true },
    'rate-limit': { times: 3, baseMs: 1_000, factor: 1, jitter: 0 },
  },
} as const;
