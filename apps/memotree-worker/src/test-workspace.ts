// Workspaces and sessions for tests of the operations.
import { expect } from '@jest/globals';
import type { Call, TestCanvas } from './test-canvas.js';

export interface TestWorkspace {
  readonly workspace: string;
  /** Two sessions of one user in it. */
  readonly a: Call;
  readonly b: Call;
}

let workspaces = 0;

/** A workspace that nobody has used. */
export function freshWorkspace(canvas: TestCanvas): TestWorkspace {
  const workspace = `w${++workspaces}`;
  const within =
    (call: Call): Call =>
    (operation, input = {}) =>
      call(operation, { workspace, ...input });
  return { workspace, a: within(canvas.session('a')), b: within(canvas.session('b')) };
}

/** Creates a node. @returns its id */
export async function createNode(call: Call, input: Record<string, unknown> = {}): Promise<string> {
  return String((await call('create_node', input)).data['nodeId']);
}

/** What a refused operation is rejected with. */
export function refusal(literal: string, message: RegExp = /./): Readonly<Record<string, unknown>> {
  return { literal, message: expect.stringMatching(message) };
}
