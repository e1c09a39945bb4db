// Tools for tests, served by lab processes alone and never part of the product's catalog.
import type { ToolContract } from '#lib/contracts';
import { failingJob } from './failing-job.js';
import { slowCompute } from './slow-compute.js';
import { labAnswer } from './lab-answer.js';
import { labCached } from './lab-cached.js';
import { labCoalesced } from './lab-coalesced.js';
import { labEffect } from './lab-effect.js';
import { labFail } from './lab-fail.js';
import { labLarge } from './lab-large.js';
import { labPaid } from './lab-paid.js';
import { labPoison } from './lab-poison.js';
import { labRetired } from './lab-retired.js';
import { labSecret } from './lab-secret.js';
import { labSteps } from './lab-steps.js';
import { labSunset } from './lab-sunset.js';

export const labTools: readonly ToolContract[] = [
  slowCompute,
  failingJob,
  labAnswer,
  labCached,
  labCoalesced,
  labEffect,
  labFail,
  labLarge,
  labPaid,
  labPoison,
  labRetired,
  labSecret,
  labSteps,
  labSunset,
];
