/** How far a turn may go (VL-36): calls of the model at most. */
export const iterationsOf = { simple: 5, complex: 10, guest: 3 } as const;
export type ChatMode = keyof typeof iterationsOf;

/** A guest's turn has these tools and one skill (C-63). */
export const guestTools: readonly string[] = ['use_skill', 'search_knowledge', 'show_insight'];

/** What a reader of the stream can read: the chunks of the source document, or those of the AI SDK and nothing else (C-53). */
export const chatDialects = ['source', 'ai-sdk'] as const;
export type ChatDialect = (typeof chatDialects)[number];
