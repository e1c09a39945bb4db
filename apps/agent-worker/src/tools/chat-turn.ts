import { chatTurn } from '#lib/contracts';
import { handleTurn } from '../services.js';

export const handleChatTurn = handleTurn(chatTurn, (input, context) => context.turns.run(input, context));
