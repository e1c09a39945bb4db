// `node --import` of this file, for the tests of a user's tools: their imports are found as they are when the tools are served.
import { resolveTypeScript } from '#lib/serve';

resolveTypeScript();
