import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { InvoqError } from '#lib/client';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Loaded } from '../../components/loading.js';
import { ErrorNotice, Notice } from '../../components/notice.js';
import type { Input } from '../../components/schema-form/input.js';
import { ParametersEditor } from '../../components/schema-form/parameters-editor.js';
import { shared } from '../../components/text.js';
import { api, type RunDetail } from '../../data/api.js';
import { useTool } from '../../data/tools.js';
import { useText } from '../../language/use-text.js';
import { runScreenText } from './run-screen-text.js';

/** Starts a new call from the parameters of this one, and goes there. */
export function ReplayDialog({ run, onClose }: { readonly run: RunDetail; readonly onClose: () => void }) {
  const words = useText(runScreenText);
  const common = useText(shared);
  const navigate = useNavigate();
  const tool = useTool(run.tool_name);
  const [input, setInput] = useState<Input>(run.input ?? {});
  const [isEdited, setIsEdited] = useState(false);
  const replay = useMutation({
    // What was not edited is replayed as the gateway has it.
    mutationFn: () => api.replay(run.job_id, isEdited || run.input_state !== 'whole' ? input : undefined),
    onSuccess: ({ job_id }) => {
      onClose();
      void navigate({ to: '/runs/$jobId', params: { jobId: job_id } });
    },
  });
  const change = (next: Input) => {
    setInput(next);
    setIsEdited(true);
  };
  const faults = replay.error instanceof InvoqError ? replay.error.details : [];
  return (
    <Dialog
      title={words.replayTitle}
      isWide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button look="primary" icon="replay" disabled={replay.isPending} onClick={() => replay.mutate()}>
            {words.replayNow}
          </Button>
        </>
      }
    >
      <p className="soft">{words.replayHelp}</p>
      {run.input_state === 'masked' && <Notice tone="warn">{words.replayMasked}</Notice>}
      <Loaded query={tool}>
        {({ parameters }) => (
          <ParametersEditor
            schema={parameters}
            input={input}
            faults={new Map(faults.map(({ path, message }) => [path, message]))}
            onChange={change}
          />
        )}
      </Loaded>
      {replay.error && faults.length === 0 && <ErrorNotice error={replay.error} />}
    </Dialog>
  );
}
