import { createHmac, createSecretKey, hkdfSync, timingSafeEqual, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { SealingKey } from '#lib/transport';

/** What a link decides, and which webhook was told of it. */
export interface DecisionLink {
  readonly inputId: string;
  readonly webhookId: string;
}

const said = z.tuple([z.uuid(), z.uuid()]);

/** Signs links by which whoever gets them from a webhook decides one approval. The decision itself makes them hold once. */
export class DecisionLinks {
  readonly #keys: readonly KeyObject[];

  /** @param sealingKeys the first one signs, all are accepted. The keys for links are derived from them (HKDF). */
  constructor(sealingKeys: readonly Pick<SealingKey, 'key'>[]) {
    this.#keys = sealingKeys.map(({ key }) => createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'invoq decision links', 32))));
  }

  tokenOf({ inputId, webhookId }: DecisionLink): string {
    const [first] = this.#keys;
    if (!first) throw new Error('No key to sign links with');
    const text = Buffer.from(JSON.stringify([inputId, webhookId])).toString('base64url');
    return `${text}.${mac(first, text)}`;
  }

  /** What a token of ours decides; null for every other. */
  find(token: string): DecisionLink | null {
    const [text = '', signature = '', ...rest] = token.split('.');
    const given = Buffer.from(signature);
    const isOurs = this.#keys.some((key) => {
      const expected = Buffer.from(mac(key, text));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
    if (!isOurs || rest.length > 0) return null;
    const [inputId, webhookId] = said.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return { inputId, webhookId };
  }
}

function mac(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}
