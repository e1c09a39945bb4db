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
import { api, type CallDetail } from '../../data/api.js';
import { useTool } from '../../data/tools.js';
import { useText } from '../../language/use-text.js';
import { callScreenText } from './call-screen-text.js';

/** Starts a new call from the parameters of this one, and goes there. */
export function ReplayDialog({ call, onClose }: { readonly call: CallDetail; readonly onClose: () => void }) {
  const words = useText(callScreenText);
  const common = useText(shared);
  const navigate = useNavigate();
  const tool = useTool(call.tool_name);
  const [input, setInput] = useState<Input>(call.input ?? {});
  const isMasked = JSON.stringify(call.input).includes('"[redacted]"');
  const [isEdited, setIsEdited] = useState(false);
  const replay = useMutation({
    // What was not edited is replayed as the gateway has it.
    mutationFn: () => api.replay(call.job_id, isEdited || call.input_state !== 'whole' ? input : undefined),
    onSuccess: ({ job_id }) => {
      onClose();
      void navigate({ to: '/calls/$jobId', params: { jobId: job_id } });
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
      isUnsaved={isEdited && (replay.isIdle || replay.isError)}
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
      {isMasked && <Notice tone="warn">{words.replayMasked}</Notice>}
      {call.input === null && <Notice tone="warn">{words.replayGone}</Notice>}
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
