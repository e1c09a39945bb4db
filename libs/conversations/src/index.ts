/**
 * Conversations of users in Postgres, with their turns. The gateway claims, lists, reads and removes them; the agent begins and
 * ends turns and reads what was said before. Tables: prisma/schema/agent.prisma.
 */
export {
  ConversationStore,
  type ConversationKey,
  type ConversationPage,
  type ConversationSummary,
  type PageAsked,
  type PagePlace,
  type StoredConversation,
  type StoredTurn,
  type TurnEnd,
  type TurnKey,
} from './conversation-store.js';
export { toPastTurn, toStoredSteps, type PastTurn, type ToolResult, type TurnStep } from './turn-steps.js';
