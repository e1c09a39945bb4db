import { labRetired } from '../contracts/lab-retired.js';
import { handle } from './services.js';

export const handleLabRetired = handle(labRetired, ({ word }) => ({ word }));
