import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { ToolDefinition } from '#lib/contracts';
import { Button } from '../../components/button.js';
import { CodeBlock, JsonBlock } from '../../components/code-block.js';
import { Segments } from '../../components/field.js';
import { Icon } from '../../components/icon.js';
import { Loading } from '../../components/loading.js';
import { ErrorNotice } from '../../components/notice.js';
import { Panel } from '../../components/panel.js';
import { isInput, type Input } from '../../components/schema-form/input.js';
import { gateway } from '../../data/gateway.js';
import { useScope } from '../../data/session.js';
import { useTools } from '../../data/tools.js';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import { firstStepsText } from './first-steps-text.js';
import { mcpClients, mcpSetup, type McpClient } from './mcp-setups.js';

/** What is called where it is there. */
const usualTool = 'calc_metrics';

/** What somebody does who has just started the product: from a call on this page to a tool of their own. */
export function FirstSteps() {
  const words = useText(firstStepsText);
  const isTenantAdmin = useScope('tenant:admin');
  const { data: tools = [], isPending } = useTools();
  const tool = tools.find(({ name }) => name === usualTool) ?? tools.find(({ read_only: isRead }) => isRead);
  const example = tool?.examples[0]?.input;
  const first = useMutation({ mutationFn: firstCall });
  if (isPending) return <Loading />;
  if (!tool || !isInput(example)) return null;
  const trace = first.data?.metadata.trace_id;
  return (
    <Panel title={words.title}>
      <p className="soft">{words.help}</p>
      <ol className="first-steps">
        <Step number={1} title={words.call(tool.name)} help={words.callHelp} isDone={first.isSuccess}>
          <div className="line wrap">
            <Button look="primary" icon="play" disabled={first.isPending} onClick={() => first.mutate({ tool: tool.name, input: example })}>
              {words.callNow}
            </Button>
            <Link className="button" to="/tools">
              {words.browse}
            </Link>
            <Link className="button" to="/chat">
              {words.ask}
            </Link>
          </div>
          {first.error && <ErrorNotice error={first.error} />}
          {first.data && (
            <div className="stack tight" role="status">
              <p>{words.answered(formatMs(first.data.tookMs))}</p>
              <JsonBlock label={tool.title} value={first.data.data} />
            </div>
          )}
        </Step>
        <Step number={2} title={words.same} help={words.sameHelp}>
          <CodeBlock label={words.same} text={curl(tool.name, example)} />
          {isTenantAdmin && (
            <div className="line">
              <Link className="button small" to="/keys">
                {words.newKey}
              </Link>
            </div>
          )}
        </Step>
        <Step number={3} title={words.connect} help={words.connectHelp}>
          <McpSetups />
        </Step>
        <Step number={4} title={words.serve} help={words.serveHelp}>
          <div className="line">
            <a className="button small" href="/docs/tutorials/your-own-tool" target="_blank" rel="noreferrer">
              {words.guide}
            </a>
          </div>
        </Step>
        <Step number={5} title={words.trace} help={words.traceHelp}>
          {trace === undefined ? (
            <p className="faint">{words.firstCallFirst}</p>
          ) : (
            <div className="line">
              <Link className="button small" to="/traces/$traceId" params={{ traceId: trace }}>
                {words.openTrace}
              </Link>
            </div>
          )}
        </Step>
      </ol>
    </Panel>
  );
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly help: string;
  readonly isDone?: boolean;
  readonly children: ReactNode;
}

function Step({ number, title, help, isDone = false, children }: StepProps) {
  const words = useText(firstStepsText);
  return (
    <li className={isDone ? 'done' : ''}>
      <span className="step-mark" aria-hidden="true">
        {isDone ? <Icon name="check" /> : number}
      </span>
      <div className="stack tight grow">
        <h3>
          {title} {isDone && <span className="hidden-visually">{words.done}</span>}
        </h3>
        <p className="soft">{help}</p>
        {children}
      </div>
    </li>
  );
}

function McpSetups() {
  const words = useText(firstStepsText);
  const [client, setClient] = useState<McpClient>('Claude Code');
  const { place, text } = mcpSetup(client, location.origin);
  return (
    <div className="stack tight">
      <div className="line wrap">
        <Segments label={words.client} value={client} choices={mcpClients.map((one) => [one, one] as const)} onChoose={setClient} />
      </div>
      <p className="faint">{words.place(place)}</p>
      <CodeBlock label={client} text={text} />
    </div>
  );
}

interface FirstAnswer {
  readonly data: unknown;
  readonly metadata: { readonly trace_id: string };
}

/** Throws InvoqError. */
async function firstCall({ tool, input }: { readonly tool: ToolDefinition['name']; readonly input: Input }) {
  const began = performance.now();
  const answer = await gateway.json<FirstAnswer>(`tools/${encodeURIComponent(tool)}`, { method: 'POST', body: input });
  return { ...answer, tookMs: performance.now() - began };
}

function curl(tool: string, input: Input): string {
  return `. .data/dev.env
curl -s ${location.origin}/tools/${tool} \\
  -H "Authorization: Bearer $INVOQ_API_KEY" -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(input).replaceAll("'", String.raw`'\''`)}'`;
}
