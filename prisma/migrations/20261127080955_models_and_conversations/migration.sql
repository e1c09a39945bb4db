-- AlterTable
ALTER TABLE "call_history" ADD COLUMN     "conversation_id" TEXT,
ADD COLUMN     "model" TEXT;

-- AlterTable
ALTER TABLE "call_usage" DROP CONSTRAINT "call_usage_pkey",
ADD COLUMN     "conversation_id" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "model" TEXT NOT NULL DEFAULT '',
ADD CONSTRAINT "call_usage_pkey" PRIMARY KEY ("day", "tenant_id", "caller", "credential_id", "tool_name", "model", "conversation_id");

-- The function looks up names in this schema alone.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- The same with the model and the conversation. Gateways of the version before tell neither: those calls count under none.
CREATE OR REPLACE FUNCTION keep_calls(calls JSONB) RETURNS INT LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    fresh INT;
BEGIN
    PERFORM day_partition('call_history', day) FROM (
        SELECT DISTINCT (to_timestamp((c ->> 'finished_at')::double precision / 1000) AT TIME ZONE 'UTC')::date AS day
        FROM jsonb_array_elements(calls) AS c ORDER BY 1
    ) AS days;
    WITH kept AS (
        INSERT INTO call_history (
            finished_at, job_id, tenant_id, user_id, caller, credential_id, domain, tool_name, tool_version, state, code, native_code,
            attempts_made, max_attempts, created_at, started_at, execution_ms, network_ms, input_tokens, output_tokens, trace_id, replay_of,
            edited_by, cost_micros, model, conversation_id
        )
        SELECT
            to_timestamp(c.finished_at / 1000), c.job_id, c.tenant_id, c.user_id, c.caller, c.credential_id, c.domain, c.tool_name,
            c.tool_version, c.state, c.code, c.native_code, c.attempts_made, c.max_attempts, to_timestamp(c.created_at / 1000),
            to_timestamp(c.started_at / 1000), c.execution_ms, c.network_ms, c.input_tokens, c.output_tokens, c.trace_id, c.replay_of,
            c.edited_by, coalesce(c.cost_micros, 0), c.model, c.conversation_id
        FROM jsonb_to_recordset(calls) AS c (
            finished_at DOUBLE PRECISION, job_id TEXT, tenant_id TEXT, user_id TEXT, caller TEXT, credential_id TEXT, domain TEXT,
            tool_name TEXT, tool_version TEXT, state TEXT, code TEXT, native_code TEXT, attempts_made INT, max_attempts INT,
            created_at DOUBLE PRECISION, started_at DOUBLE PRECISION, execution_ms DOUBLE PRECISION, network_ms DOUBLE PRECISION,
            input_tokens INT, output_tokens INT, trace_id TEXT, replay_of TEXT, edited_by TEXT, cost_micros BIGINT, model TEXT, conversation_id TEXT
        )
        ON CONFLICT DO NOTHING
        RETURNING *
    ), summed AS (
        SELECT
            (finished_at AT TIME ZONE 'UTC')::date AS day, tenant_id, caller,
            -- A guest's credential is an address, which is not kept for years.
            CASE WHEN credential_id LIKE 'guest:%' THEN '' ELSE credential_id END AS credential_id, tool_name,
            coalesce(model, '') AS model, coalesce(conversation_id, '') AS conversation_id, classes.latency_class,
            min(user_id) AS user_id, count(*) AS number, count(*) FILTER (WHERE state = 'completed') AS completed,
            count(*) FILTER (WHERE state = 'failed') AS failed, count(*) FILTER (WHERE state = 'cancelled') AS cancelled,
            sum(attempts_made) AS attempts, sum(execution_ms) AS execution_ms, coalesce(sum(input_tokens), 0) AS input_tokens,
            coalesce(sum(output_tokens), 0) AS output_tokens, sum(cost_micros) AS cost_micros
        FROM kept LEFT JOIN (
            SELECT DISTINCT ON (job_id) job_id, latency_class FROM jsonb_to_recordset(calls) AS c (job_id TEXT, latency_class INT)
        ) AS classes USING (job_id)
        GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
    ), stored AS (
        INSERT INTO call_usage AS u (
            day, tenant_id, caller, credential_id, tool_name, model, conversation_id, user_id, completed, failed, cancelled, attempts,
            execution_ms, input_tokens, output_tokens, cost_micros, latencies
        )
        SELECT
            day, tenant_id, caller, credential_id, tool_name, model, conversation_id, min(user_id), sum(completed), sum(failed),
            sum(cancelled), sum(attempts), sum(execution_ms), sum(input_tokens), sum(output_tokens), sum(cost_micros),
            coalesce(jsonb_object_agg(latency_class, number) FILTER (WHERE latency_class IS NOT NULL), '{}')
        FROM summed GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
        ON CONFLICT (day, tenant_id, caller, credential_id, tool_name, model, conversation_id) DO UPDATE SET
            completed = u.completed + excluded.completed, failed = u.failed + excluded.failed, cancelled = u.cancelled + excluded.cancelled,
            attempts = u.attempts + excluded.attempts, execution_ms = u.execution_ms + excluded.execution_ms,
            input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens,
            cost_micros = u.cost_micros + excluded.cost_micros, latencies = add_latencies(u.latencies, excluded.latencies)
    )
    SELECT count(*) INTO fresh FROM kept;
    RETURN fresh;
END $$;
