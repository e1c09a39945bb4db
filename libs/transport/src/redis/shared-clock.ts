import { ReplyError, type Redis } from 'ioredis';
import type { Logger } from '#lib/platform';
import type { Metrics } from '../metrics.js';
import { mastersOf, type RedisClient } from './redis-client.js';

const askEveryMs = 5_000;
/** An answer that took longer says too little about when it was given. */
const slowestAnswerMs = 1_000;
/** Differences below this are those of any two machines. */
const noticeableMs = 250;
/** A larger difference is not corrected: it is not clear whose clock is wrong. */
const correctedMs = 100_000;

/** Told what is found. */
interface Told {
  readonly log: Pick<Logger, 'warn'>;
  readonly metrics: Pick<Metrics, 'redisSeconds'>;
}

interface Clocks {
  /** Epoch ms of this machine. */
  readonly wall: () => number;
  /** Ms that never jump. */
  readonly steady: () => number;
}

/**
 * The time by which processes judge each other's deadlines: that of Redis, asked every 5 s, for as long as it is within 100 s of
 * this machine's own. So a machine whose clock is wrong, or is set while it runs, ends no call before its time.
 */
export class SharedClock {
  readonly #clocks: Clocks;
  /** Add the steady clock to have the shared time. */
  #base: number;
  #reportedMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(clocks: Clocks = { wall: () => Date.now(), steady: () => performance.now() }) {
    this.#clocks = clocks;
    this.#base = clocks.wall() - clocks.steady();
  }

  /** Epoch ms. */
  readonly now = (): number => {
    const own = this.#clocks.wall();
    const shared = this.#base + this.#clocks.steady();
    return Math.round(Math.abs(own - shared) <= correctedMs ? shared : own);
  };

  /** Follows the time of this Redis from now on; of a cluster that of one master, which is the same one for all processes. */
  follow(redis: RedisClient, told: Told): void {
    let isRefused = false;
    const ask = (): void => {
      const [server] = mastersOf(redis);
      if (!server) return;
      this.ask(server, told).catch((error: unknown) => {
        // That Redis is away, its connection reports.
        if (!(error instanceof ReplyError) || isRefused) return;
        isRefused = true;
        told.log.warn({ event: 'clock-unknown', err: error }, "Redis does not tell its time; this machine's own clock is used");
      });
    };
    redis.on('ready', ask);
    this.#timer = setInterval(ask, askEveryMs).unref();
  }

  /** Asks no more. */
  stop(): void {
    clearInterval(this.#timer);
  }

  /** Asks once. Rejects when Redis is away. */
  async ask(redis: Pick<Redis, 'time'>, { log, metrics }: Told): Promise<void> {
    const { wall, steady } = this.#clocks;
    const asked = steady();
    const [seconds, microseconds] = await redis.time();
    const tookMs = steady() - asked;
    metrics.redisSeconds.observe(tookMs / 1_000);
    if (tookMs > slowestAnswerMs) return;
    const base = Number(seconds) * 1_000 + Number(microseconds) / 1_000 - (asked + tookMs / 2);
    if (Math.abs(base - this.#base) > noticeableMs + tookMs / 2) this.#base = base;
    this.#report(wall() - (base + steady()), log);
  }

  #report(skewMs: number, log: Pick<Logger, 'warn'>): void {
    if (Math.abs(skewMs - this.#reportedMs) <= 2 * slowestAnswerMs) return;
    this.#reportedMs = skewMs;
    const isCorrected = Math.abs(skewMs) <= correctedMs;
    log.warn(
      { event: 'clock-skew', skew_ms: Math.round(skewMs), is_corrected: isCorrected },
      "this machine's clock differs from that of Redis",
    );
  }
}
