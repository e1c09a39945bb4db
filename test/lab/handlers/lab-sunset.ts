import { labSunset } from '../contracts/lab-sunset.js';
import { handle } from './services.js';

export const handleLabSunset = handle(labSunset, ({ word }) => ({ word }));
