-- AlterTable
ALTER TABLE "call_history" ADD COLUMN "cost_micros" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "call_usage" DROP CONSTRAINT "call_usage_pkey",
ADD COLUMN "cost_micros" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN "credential_id" TEXT NOT NULL DEFAULT '',
ADD CONSTRAINT "call_usage_pkey" PRIMARY KEY ("day", "tenant_id", "caller", "credential_id", "tool_name");

-- The function looks up names in this schema alone.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- The same with what a call cost and by which credential. Who writes the entries of the version before tells no cost. A guest's credential is
-- an address, which is not kept for years.
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
            edited_by, cost_micros
        )
        SELECT
            to_timestamp(c.finished_at / 1000), c.job_id, c.tenant_id, c.user_id, c.caller, c.credential_id, c.domain, c.tool_name,
            c.tool_version, c.state, c.code, c.native_code, c.attempts_made, c.max_attempts, to_timestamp(c.created_at / 1000),
            to_timestamp(c.started_at / 1000), c.execution_ms, c.network_ms, c.input_tokens, c.output_tokens, c.trace_id, c.replay_of,
            c.edited_by, coalesce(c.cost_micros, 0)
        FROM jsonb_to_recordset(calls) AS c (
            finished_at DOUBLE PRECISION, job_id TEXT, tenant_id TEXT, user_id TEXT, caller TEXT, credential_id TEXT, domain TEXT,
            tool_name TEXT, tool_version TEXT, state TEXT, code TEXT, native_code TEXT, attempts_made INT, max_attempts INT,
            created_at DOUBLE PRECISION, started_at DOUBLE PRECISION, execution_ms DOUBLE PRECISION, network_ms DOUBLE PRECISION,
            input_tokens INT, output_tokens INT, trace_id TEXT, replay_of TEXT, edited_by TEXT, cost_micros BIGINT
        )
        ON CONFLICT DO NOTHING
        RETURNING *
    ), summed AS (
        INSERT INTO call_usage AS u (
            day, tenant_id, caller, credential_id, tool_name, user_id, completed, failed, cancelled, attempts, execution_ms, input_tokens,
            output_tokens, cost_micros
        )
        SELECT
            (finished_at AT TIME ZONE 'UTC')::date, tenant_id, caller, CASE WHEN credential_id LIKE 'guest:%' THEN '' ELSE credential_id END,
            tool_name, min(user_id), count(*) FILTER (WHERE state = 'completed'), count(*) FILTER (WHERE state = 'failed'), count(*) FILTER (WHERE state = 'cancelled'), sum(attempts_made), sum(execution_ms),
            coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), sum(cost_micros)
        FROM kept GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
        ON CONFLICT (day, tenant_id, caller, credential_id, tool_name) DO UPDATE SET
            completed = u.completed + excluded.completed, failed = u.failed + excluded.failed, cancelled = u.cancelled + excluded.cancelled,
            attempts = u.attempts + excluded.attempts, execution_ms = u.execution_ms + excluded.execution_ms,
            input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens,
            cost_micros = u.cost_micros + excluded.cost_micros
    )
    SELECT count(*) INTO fresh FROM kept;
    RETURN fresh;
END $$;
