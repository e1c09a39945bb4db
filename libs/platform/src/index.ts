export { urlViolation, type AddressRules } from './address-rules.js';
export { apiKeyId, hashApiKey, matchesApiKey, mintApiKey } from './api-key.js';
export { AnswerTooLarge, boundedFetch, boundedResponse } from './bounded-fetch.js';
export {
  jsonSetting,
  commonSettings,
  fileSettings,
  keptFileSettings,
  readSettings,
  redisSettings,
  settingFaults,
  settingsOrExit,
  type SettingFault,
  workerSettings,
  type FileSettings,
  type WorkerSettings,
} from './config.js';
export { changeAs, type AuditedDatabase } from './change-as.js';
export type { Prisma } from './generated/prisma/client.js';
export { createDatabase, type Database } from './database.js';
export { modelRows, type SqlRunner } from './sql-runner.js';
export { join as joinSql, sql, type Sql } from '@prisma/client-runtime-utils';
export { createPool } from './pool.js';
export { checkHealth, type Health, type HealthCheck } from './health.js';
export { createLogger, logCall, safeError, type Logger } from './logger.js';
export { processMetrics } from './metrics-registry.js';
export { nestLogger } from './nest-logger.js';
export { PointBuckets } from './point-buckets.js';
export { AddressRefused, lookupPublicOnly } from './public-lookup.js';
export { RecentMap } from './recent-map.js';
export { productVersion } from './product-version.js';
export { requireOptional, type OptionalPackage } from './optional-package.js';
export { onceASecond } from './once-a-second.js';
export { releaseMemoryOfStart } from './release-memory.js';
export { redisServers, type RedisSettings } from './redis-servers.js';
export { exitOnEviction, exitOnMissingRights, runInOrder, shutDownOnSignal } from './shutdown.js';
export { Rounds } from './rounds.js';
export { succeedingProcess, Succession, type SucceedingProcess } from './succession.js';
export { startSweep } from './sweep.js';
export { randomHex } from './random-hex.js';
export { utcDay } from './utc-day.js';
export { isTimeZone, localAt, momentOf, shiftBefore } from './zoned-time.js';
export { knownMethod, knownRevision, nameAsked, statusOfClient, statusOfServer } from './telemetry/mcp-names.js';
export { measureBy, measures, serverAddress } from './telemetry/measures.js';
export { spanContent } from './telemetry/span-content.js';
export { callerAttributes, logAttribute, spanSink, unstored, type SpanRecord } from './telemetry/span-sink.js';
export { contextFrom, isTraceId, outwardTraceId, tracePrefix, traceparentOf, tracer } from './telemetry/trace-id.js';
