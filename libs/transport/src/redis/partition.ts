import { randomHex } from '#lib/platform';

declare const partitionBrand: unique symbol;

/**
 * A part of a domain's calls: a queue with its records, in one slot of a cluster. The first of a domain has the domain's own name, and
 * further ones are `profile~1`, `profile~2` and so on ([decision 64](../../../docs/decisions/0064-a-domain-has-partitions.md)).
 */
export type Partition = string & { readonly [partitionBrand]: true };

/** The most partitions that a domain may have. */
export const mostPartitions = 64;

const partitionShape = /^[a-z][a-z0-9-]{0,39}(~[1-9]\d?)?$/;
const idShape = /^inv_([a-z][a-z0-9-]{0,39}(?:~[1-9]\d?)?)_[0-9a-f]{32}$/;

/** A partition of a domain, counted from 0. Throws TypeError for what is none. */
export function partitionOf(domain: string, index = 0): Partition {
  return partitionNamed(index === 0 ? domain : `${domain}~${index}`);
}

/** The domain that a partition belongs to. */
export function domainOf(partition: Partition): string {
  return partition.split('~', 1)[0] ?? partition;
}

/** A new job id: 128 random bits and the partition whose queue holds it. Nothing that a client sends enters it. */
export function newJobId(partition: Partition): string {
  return `inv_${partition}_${randomHex(32)}`;
}

/** The domain of a well-formed job id, or null. */
export function domainOfJob(jobId: string): string | null {
  return idShape.exec(jobId)?.[1]?.split('~', 1)[0] ?? null;
}

let latestJob: { readonly jobId: string; readonly partition: Partition } | null = null;

/** The partition of a job id. Throws TypeError for what is none. */
export function partitionOfJob(jobId: string): Partition {
  // The keys of one call are named one after the other.
  if (latestJob?.jobId === jobId) return latestJob.partition;
  const name = idShape.exec(jobId)?.[1];
  if (!name) throw new TypeError('Not a job id');
  latestJob = { jobId, partition: partitionNamed(name) };
  return latestJob.partition;
}

/** The partition with this name. Throws TypeError for what is none. */
export function partitionNamed(name: string): Partition {
  if (!isPartition(name)) throw new TypeError(`"${name}" is no partition`);
  return name;
}

function isPartition(name: string): name is Partition {
  return partitionShape.test(name);
}
