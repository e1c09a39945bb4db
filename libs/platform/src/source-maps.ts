// Preloaded (`node --import '#source-maps'`): stack traces name our own sources. Node's own flag reads the maps of every package
// too, a fifth of an app's start.
import { setSourceMapsSupport } from 'node:module';

setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
