import { cutText } from '#lib/contracts';
import type { LogLevel } from '#lib/handlers';

/** What a server logs, as it came. */
export interface ServerLogLine {
  readonly level: string;
  readonly data: unknown;
  readonly logger?: string | undefined;
}

/** Of one line. */
const mostCharacters = 1_000;
/** @limit outside servers: lines that a server logs in a call; the others are left out, and told */
const mostLines = 50;

/** The levels of syslog (RFC 5424), which servers use, in ours. */
const levels: Readonly<Record<string, LogLevel>> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
};

/** Writes what a server logs while it works on a call into the log of that call, up to a bound. */
export function serverLog(server: string, log: (level: LogLevel, message: string) => void): (line: ServerLogLine) => void {
  let lines = 0;
  return ({ level, data, logger }) => {
    lines += 1;
    if (lines > mostLines + 1) return;
    if (lines > mostLines) return log('warn', `${server} logs more than ${mostLines} lines in this call: the others are left out`);
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    log(
      Object.hasOwn(levels, level) ? (levels[level] ?? 'info') : 'info',
      cutText(`${server}${logger ? ` (${logger})` : ''}: ${text}`, mostCharacters),
    );
  };
}
