// Tells every wrong setting of the apps at once, before any of them is started. A process of its own: it loads what all the apps read.
// Arguments: the apps. Its answer goes to the file descriptor 3: Node and its options write to the others.
import { writeSync } from 'node:fs';
import { allSettings, faultsOfApp } from './app-settings.js';
import type { SettingsCheck } from './local-settings.js';
import { misspeltSettings } from './misspelt-settings.js';

const faults = process.argv.slice(2).flatMap(faultsOfApp);
// The start itself gives what is missing, but for what a model needs.
const wrong = new Set(
  faults.filter(({ name }) => process.env[name] || name.startsWith('MODEL_')).map(({ name, message }) => `${name} ${message}`),
);
const check: SettingsCheck = { faults: [...wrong], warnings: misspeltSettings(allSettings) };
writeSync(3, JSON.stringify(check));
