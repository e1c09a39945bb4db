// Tells every wrong setting of the apps at once, before any of them is started. A process of its own: it loads what all the apps read.
// Arguments: the apps.
import { printError } from '#lib/command-line';
import { settingFaults } from '#lib/platform';
import { settingsOf } from './app-settings.js';

const faults = process.argv.slice(2).flatMap((app) => settingFaults(settingsOf(app)));
// The start itself gives what is missing.
const wrong = new Set(faults.filter(({ name }) => process.env[name]).map(({ name, message }) => `${name} ${message}`));
for (const line of wrong) printError(line);
process.exitCode = wrong.size > 0 ? 1 : 0;
