export type { StartInProcess } from './in-process-app.js';
export { AppProcess, startTimeoutMs, type LogLine } from './app-process.js';
export { anyText } from './any-text.js';
export { BucketServer } from './bucket-server.js';
export { CollectedMeasures } from './collected-measures.js';
export { dayMs, hourMs, minuteMs, secondMs } from './clock/clock.js';
export { EventReader, type StreamEvent } from './event-reader.js';
export { eventually } from './eventually.js';
export { HttpCaller, type EnvelopeReply, type Reply } from './http-caller.js';
export { PrometheusText } from './prometheus-text.js';
export { Issuer } from './issuer.js';
export { CookieBrowser, type Visited } from './cookie-browser.js';
export { OAuthServer } from './oauth-server.js';
export { SignInIssuer } from './sign-in-issuer.js';
export type { ModelRequest, ScriptedReply } from './model-server/model-script.js';
export { ModelServer } from './model-server/model-server.js';
export { testFiles } from './files.js';
export { RawWorker } from './raw-worker.js';
export { Broken, must } from './must.js';
export { newNamespace, testRedis } from './redis.js';
export { RedisContents } from './redis-contents.js';
export { letGo } from './let-go.js';
export { givenStores, offerOverMs, startSystem, type System, type SystemOptions } from './system.js';
export { completeProfile, otherProfile, Tenant, type KeyOptions, type ProfileRow } from './tenant.js';
export { TcpProxy, type Strike } from './tcp-proxy.js';
export { writeTinyModel } from './tiny-onnx.js';
export {
  acceptedShape,
  batchShape,
  envelopeShape,
  jobListShape,
  jobShape,
  nativeShape,
  progressShape,
  retryingShape,
  type EnvelopeShape,
} from './wire-shapes.js';
export {
  cutAnswer,
  jsonAnswer,
  startScriptedServer,
  streamAnswer,
  type ReceivedRequest,
  type ScriptedAnswer,
  type ScriptedServer,
} from './scripted-server.js';
