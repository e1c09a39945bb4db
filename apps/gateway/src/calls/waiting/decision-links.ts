import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Stores } from '../../stores.js';
import { LinkKeys } from './link-keys.js';

/** What a link decides, and which webhook was told of it. */
export interface DecisionLink {
  readonly inputId: string;
  readonly webhookId: string;
}

const said = z.tuple([z.uuid(), z.uuid()]);

/** Signs links by which whoever gets them from a webhook decides one approval. The decision itself makes them hold once. */
@Injectable()
export class DecisionLinks {
  readonly #keys: LinkKeys;

  constructor({ settings }: Stores) {
    this.#keys = new LinkKeys(settings.SEALING_KEYS, 'decision links');
  }

  tokenOf({ inputId, webhookId }: DecisionLink): string {
    const text = Buffer.from(JSON.stringify([inputId, webhookId])).toString('base64url');
    return `${text}.${this.#keys.sign(text)}`;
  }

  /** What a token of ours decides; null for every other. */
  find(token: string): DecisionLink | null {
    const [text = '', signature = '', ...rest] = token.split('.');
    if (!this.#keys.hasSigned(text, signature) || rest.length > 0) return null;
    const [inputId, webhookId] = said.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return { inputId, webhookId };
  }
}
