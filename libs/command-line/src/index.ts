// What every command of this project shares: output, errors and exit codes, settings, stopping.
export { CommandError, UsageError } from './errors.js';
export { devEnvMark, forgetLoadedStores } from './loaded-dev-env.js';
export { formatSeconds, print, printError, step } from './print.js';
export { isClone, root, startCommand, stopCommand } from './root.js';
export { describeError, exitCodes, exitWithHelp, isUsageError, runScript, runWithoutArguments } from './run-script.js';
export { gatewayAddress, type GatewayAddress, type GatewayChoice } from './gateway-address.js';
export { callerFolder, databaseUrl, loadDotEnv, settingOf, useSetting } from './settings.js';
export { listenForStop } from './stop-signal.js';
