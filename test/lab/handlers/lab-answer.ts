import { labAnswer } from '../contracts/lab-answer.js';
import { handle } from './services.js';

export const handleLabAnswer = handle(labAnswer, ({ answer }) => ({ text: answer }));
