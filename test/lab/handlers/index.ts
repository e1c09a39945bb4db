import { handleFailingJob } from './failing-job.js';
import { handleSlowCompute } from './slow-compute.js';
import { handleLabAnswer } from './lab-answer.js';
import { handleLabCached } from './lab-cached.js';
import { handleLabCoalesced } from './lab-coalesced.js';
import { handleLabEffect } from './lab-effect.js';
import { handleLabFail } from './lab-fail.js';
import { handleLabLarge } from './lab-large.js';
import { handleLabPaid } from './lab-paid.js';
import { handleLabPoison } from './lab-poison.js';
import { handleLabRetired } from './lab-retired.js';
import { handleLabSecret } from './lab-secret.js';
import { handleLabSteps } from './lab-steps.js';
import { handleLabSunset } from './lab-sunset.js';

export const labHandlers = [
  handleSlowCompute,
  handleFailingJob,
  handleLabAnswer,
  handleLabCached,
  handleLabCoalesced,
  handleLabEffect,
  handleLabFail,
  handleLabLarge,
  handleLabPaid,
  handleLabPoison,
  handleLabRetired,
  handleLabSecret,
  handleLabSteps,
  handleLabSunset,
];
