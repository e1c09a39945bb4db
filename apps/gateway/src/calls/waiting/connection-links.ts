import { Injectable } from '@nestjs/common';
import { Stores } from '../../stores.js';
import { LinkKeys } from './link-keys.js';

const shape = /^([0-9a-f-]{36})\.([\w-]{43})$/;

/** Signs addresses by which the caller of a call that waits for an account begins to connect it. */
@Injectable()
export class ConnectionLinks {
  readonly #keys: LinkKeys;
  /** How browsers reach the gateway, without a slash at its end. */
  readonly #url: string;

  constructor({ settings, hooks }: Stores) {
    this.#keys = new LinkKeys(settings.SEALING_KEYS, 'connection links');
    this.#url = hooks.url;
  }

  /** The address for an input request. */
  addressOf(inputId: string): string {
    return `${this.#url}/connections/requests/${inputId}.${this.#keys.sign(inputId)}`;
  }

  /** The input request of a token of ours; null for every other. */
  find(token: string): string | null {
    const [, inputId = '', signature = ''] = shape.exec(token) ?? [];
    return this.#keys.hasSigned(inputId, signature) ? inputId : null;
  }
}
