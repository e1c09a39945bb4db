// Preloaded (`node --import '#source-maps'`): stack traces name our own sources. Node's own flag also reads the maps of every
// package, which costs a twelfth of an app's import time.
import { setSourceMapsSupport } from 'node:module';

setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
