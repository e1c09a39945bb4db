import { runCode } from '#lib/contracts';
import { CodeRefusal } from '../code/code-refusal.js';
import { handleTurn } from '../services.js';

export const handleRunCode = handleTurn(runCode, async (input, context) => {
  try {
    return await context.codes.run(input, context);
  } catch (error) {
    throw error instanceof CodeRefusal ? context.error(error.literal, error.message) : error;
  }
});
