import type { FileFrame, TokenFrame } from '#lib/contracts';
import type { AccountRecords } from '#lib/handlers';
import type { Message } from './protocol.js';
import type { PieceTaken } from './send-file.js';
import type { Sender } from './sender.js';

type Piece = Message & { readonly attempt: string; readonly number: number; readonly offset: number };

function tokenName(attempt: string, number: number): string {
  return `${attempt} token ${number}`;
}

function fileName(attempt: string, number: number): string {
  return `${attempt} file ${number}`;
}

/** What attempts ask of the gateway and wait for: tokens of accounts, and that it has a piece of a file. */
export class AttemptRequests {
  readonly #sender: () => Sender | null;
  /** Tokens that were asked for, by attempt and number. */
  readonly #tokens = new Map<string, (token: string) => void>();
  /** Pieces of files that were sent, by attempt and number of the file: what resolves with the word of the gateway, and where the piece ends. */
  readonly #pieces = new Map<string, (taken: PieceTaken) => void>();

  /** @param sender of the connection; null before its welcome */
  constructor(sender: () => Sender | null) {
    this.#sender = sender;
  }

  /**
   * The account of the caller, of which the gateway gives tokens. Where there is none it rests the call, and stops the attempt.
   * @param asksForMore whether the gateway takes rights besides those of the contract
   */
  account(attempt: string, { asksForMore }: { readonly asksForMore: boolean }): AccountRecords {
    let asked = 0;
    return {
      ask: null,
      access: async (refused, more = []) => {
        if (more.length > 0 && !asksForMore) throw new Error('More rights cannot be asked for here: the gateway is of an older version');
        const number = ++asked;
        const name = tokenName(attempt, number);
        const told = Promise.withResolvers<string>();
        this.#tokens.set(name, told.resolve);
        const wanted = { ...(refused !== undefined && { refused }), ...(more.length > 0 && { scopes: [...more] }) };
        // What the gateway does not take, such as a scope that is none, is a fault of the tool.
        this.#sender()
          ?.keep({ type: 'token', attempt, number, ...wanted }, name)
          .catch(told.reject);
        const token = await told.promise;
        this.#tokens.delete(name);
        return { kind: 'access', token, header: { name: 'Authorization', value: `Bearer ${token}` } };
      },
    };
  }

  tokenCame({ attempt, number, access_token: token }: TokenFrame): void {
    this.#tokens.get(tokenName(attempt, number))?.(token);
    this.#sender()?.kept(attempt, tokenName(attempt, number));
  }

  /** Sends a piece of a file until the gateway has it. */
  async piece(piece: Piece): Promise<PieceTaken> {
    const { attempt, number, offset, last } = piece;
    const [file, name] = [fileName(attempt, number), `${fileName('', number)} at ${offset}`];
    const taken = Promise.withResolvers<PieceTaken>();
    this.#pieces.set(file, (word) => {
      // The word of an earlier piece, which was sent twice, may come late.
      if (last ? !word.file : word.received <= offset) return;
      this.#pieces.delete(file);
      this.#sender()?.kept(attempt, name);
      taken.resolve(word);
    });
    await Promise.race([this.#sender()?.keep(piece, name), taken.promise]);
    return taken.promise;
  }

  pieceTaken({ attempt, number, ...taken }: FileFrame): void {
    this.#pieces.get(fileName(attempt, number))?.(taken);
  }

  /** What an attempt that has ended asked for. */
  forget(attempt: string): void {
    for (const asked of [this.#tokens, this.#pieces])
      for (const name of asked.keys()) if (name.startsWith(`${attempt} `)) asked.delete(name);
  }
}
