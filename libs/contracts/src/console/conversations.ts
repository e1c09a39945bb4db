import { z } from 'zod';
import { pageCursor, pageLimit } from './past.js';

/** Parameters of `GET /chat/v5/conversations`: a page of the caller's conversations, the one that was written to last first. */
export const conversationsQuery = z.object({ cursor: pageCursor.optional(), limit: pageLimit.default(100) });
/** Parameters of `GET /chat/v5/conversations/{id}`: a page of its turns, which are a message and its answer. The latest turns come first. */
export const conversationQuery = z.object({ cursor: pageCursor.optional(), limit: pageLimit.default(500) });
export type ConversationQuery = z.infer<typeof conversationQuery>;
