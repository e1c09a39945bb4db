import { z } from 'zod';
import { policyName } from './policies.js';

const id = z.string().min(1).max(200);

/** Name of a pause, as of a policy. */
export const pauseName = policyName;

/** Body of `PUT /pauses/{name}`. A call is paused that meets all of `tool`, `domain` and `tenant` that are given. */
export const newPause = z
  .strictObject({
    tool: id.optional(),
    /** One of the product, or one that workers of the tenant serve. */
    domain: id.optional(),
    /** Whose calls. Default: those of all tenants for an operator, of the own one for everybody else. */
    tenant: id.optional(),
    /** For people who wonder why a call waits. */
    reason: z.string().trim().min(1).max(500),
    /** Whether calls that come meanwhile are refused, in the place of waiting. Default false. */
    refuse: z.boolean().optional(),
  })
  .refine(({ tool, domain, tenant }) => tool !== undefined || domain !== undefined || tenant !== undefined, {
    path: ['tool'],
    error: 'tool, domain or tenant is needed',
  });
export type NewPause = z.output<typeof newPause>;

/** Calls that do not run until somebody deletes it. */
export const pause = z.strictObject({
  name: z.string(),
  /** Who made it, and may delete it. */
  by: z.enum(['operator', 'tenant']),
  /** Null for every one. */
  tool: z.string().nullable(),
  domain: z.string().nullable(),
  tenant: z.string().nullable(),
  reason: z.string(),
  refuse: z.boolean(),
  /** Calls that wait for its end; null where that is not the reader's to know. */
  waiting: z.number().int().min(0).nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Pause = z.infer<typeof pause>;

/** Answer of `GET /pauses`, by name: those that the reader may delete, and those of the operator that its calls meet. */
export const pauseList = z.strictObject({ pauses: z.array(pause) });
export type PauseList = z.infer<typeof pauseList>;
