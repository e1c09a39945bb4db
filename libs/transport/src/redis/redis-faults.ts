/** Errors of Redis after which nothing was written, by the word that they begin with. */
const refusals =
  /^(OOM|READONLY|MISCONF|LOADING|BUSY|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|EXECABORT) |^Too many Cluster redirections|^ERR Script attempted to (access a non local key|execute a (write )?command while the cluster is down)/;

/**
 * Redis is there and takes no writes for now: it is full, read-only, loading, or without its replicas; or in a cluster the keys are on their
 * way to another node, or have none. Nothing was written: every script touches what it may not find before it writes.
 */
export function isRefusedByRedis(error: unknown): boolean {
  return error instanceof Error && refusals.test(error.message);
}

/** What the client says when it cannot reach Redis, one of its nodes, or a sentinel. */
const unreached =
  /^(Connection is closed|Redis connection is not ready|Stream isn't writeable|Command timed out|Socket timeout|connect E|Cluster isn't ready|Cluster is ended|None of startup nodes is available|Failed to refresh slots cache|All sentinels are unreachable|UNBLOCKED )/;

/** Redis refuses or cannot be reached. After the latter a command may or may not have run. */
export function isRedisFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    /^(MaxRetriesPerRequestError|AbortError|ClusterAllFailedError)$/.test(error.name) ||
    unreached.test(error.message) ||
    isRefusedByRedis(error) ||
    ('code' in error && typeof error.code === 'string' && /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|NR_CLOSED)/.test(error.code))
  );
}
