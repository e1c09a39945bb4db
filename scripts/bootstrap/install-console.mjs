// What `startConsolePackages` runs beside other work: the root, and `--dev`.
import { installConsolePackages } from './console-packages.mjs';

const [root, ...options] = process.argv.slice(2);
installConsolePackages(root, { dev: options.includes('--dev') });
