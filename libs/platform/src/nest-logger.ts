import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';

/** Nest's own words in our logs; its start-up chatter is for debugging only. */
export function nestLogger(log: Logger): LoggerService {
  return {
    log: (message: unknown) => log.debug(String(message)),
    debug: (message: unknown) => log.debug(String(message)),
    verbose: (message: unknown) => log.trace(String(message)),
    warn: (message: unknown) => log.warn(String(message)),
    error: (message: unknown, stack: unknown) => log.error({ stack }, String(message)),
    fatal: (message: unknown) => log.fatal(String(message)),
  };
}
