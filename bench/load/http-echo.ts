import { assertSame, noRuns, type Call, type Driver, type Target } from './call.js';
import { clientHead } from './client-heads.js';
import { HttpConnection, postHead } from './http-connection.js';
import { newWeight, parametersOf } from './parameters.js';

/** A bare Fastify route: the lower bound for the cost of any HTTP answer. */
export async function openHttpEcho({ echoUrl }: Target, callers: number): Promise<Driver> {
  const connections = await Promise.all(Array.from({ length: callers }, () => HttpConnection.open(echoUrl)));
  const calls = connections.map((connection, caller): Call => {
    const head = postHead(echoUrl, clientHead(caller));
    return async () => {
      const text = JSON.stringify(parametersOf(newWeight()));
      assertSame(text, await connection.post(head, text));
    };
  });
  return {
    calls,
    workerRuns: noRuns,
    [Symbol.asyncDispose]: async () => connections.forEach((connection) => connection[Symbol.dispose]()),
  };
}
