-- The functions look up names in this schema alone.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- Ended calls as gateways of the version before tell them, an object each, in the form of now.
CREATE FUNCTION rows_of_calls(calls JSONB) RETURNS JSONB LANGUAGE sql IMMUTABLE SET search_path FROM CURRENT AS $$
    SELECT jsonb_build_object(
        'days', coalesce(jsonb_agg(DISTINCT to_char(to_timestamp((c ->> 'finished_at')::double precision / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')), '[]'),
        'calls', coalesce(jsonb_agg(jsonb_build_array(
            c -> 'finished_at', c -> 'job_id', c -> 'latency_class', c -> 'created_at', c -> 'started_at', c -> 'execution_ms',
            c -> 'network_ms', c -> 'state', c -> 'attempts_made', c -> 'max_attempts', c -> 'tenant_id', c -> 'user_id', c -> 'caller',
            c -> 'credential_id', c -> 'domain', c -> 'tool_name', c -> 'tool_version', c -> 'trace_id', c -> 'cost_micros',
            c -> 'input_tokens', c -> 'output_tokens', c -> 'model', c -> 'conversation_id', c -> 'code', c -> 'native_code',
            c -> 'replay_of', c -> 'edited_by'
        ) ORDER BY place), '[]')
    )
    FROM jsonb_array_elements(calls) WITH ORDINALITY AS given (c, place)
$$;

-- Keeps ended calls, each once however often it is given, and adds those that are new to the sums of their day. Returns how many were new.
-- It is given their days of UTC, and a list of values for each call: an object for each, with names in it, takes twice the time to read.
CREATE OR REPLACE FUNCTION keep_calls(calls JSONB) RETURNS INT LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    -- Not those that are known already.
    fresh JSONB;
    asked INT;
BEGIN
    IF jsonb_typeof(calls) = 'array' THEN calls := rows_of_calls(calls); END IF;
    fresh := calls -> 'calls';
    PERFORM day_partition('call_history', day::date) FROM jsonb_array_elements_text(calls -> 'days') AS day ORDER BY day;
    LOOP
        asked := jsonb_array_length(fresh);
        -- Nearly always all are new. To insert them as such, and to sum what was given, is cheaper than to look for each and to sum what went in.
        BEGIN
            WITH given AS MATERIALIZED (
                SELECT
                    to_timestamp((c ->> 0)::double precision / 1000)::timestamptz(3) AS finished_at, c ->> 1 AS job_id,
                    (c ->> 2)::int AS latency_class, to_timestamp((c ->> 3)::double precision / 1000) AS created_at,
                    to_timestamp((c ->> 4)::double precision / 1000) AS started_at, (c ->> 5)::double precision AS execution_ms,
                    (c ->> 6)::double precision AS network_ms, c ->> 7 AS state, (c ->> 8)::int AS attempts_made,
                    (c ->> 9)::int AS max_attempts, c ->> 10 AS tenant_id, c ->> 11 AS user_id, c ->> 12 AS caller,
                    c ->> 13 AS credential_id, c ->> 14 AS domain, c ->> 15 AS tool_name, c ->> 16 AS tool_version,
                    c ->> 17 AS trace_id, coalesce((c ->> 18)::bigint, 0) AS cost_micros, (c ->> 19)::int AS input_tokens,
                    (c ->> 20)::int AS output_tokens, c ->> 21 AS model, c ->> 22 AS conversation_id, c ->> 23 AS code,
                    c ->> 24 AS native_code, c ->> 25 AS replay_of, c ->> 26 AS edited_by
                FROM jsonb_array_elements(fresh) AS c
            ), kept AS (
                INSERT INTO call_history (
                    finished_at, job_id, tenant_id, user_id, caller, credential_id, domain, tool_name, tool_version, state, code, native_code,
                    attempts_made, max_attempts, created_at, started_at, execution_ms, network_ms, input_tokens, output_tokens, trace_id,
                    replay_of, edited_by, cost_micros, model, conversation_id
                )
                SELECT
                    finished_at, job_id, tenant_id, user_id, caller, credential_id, domain, tool_name, tool_version, state, code, native_code,
                    attempts_made, max_attempts, created_at, started_at, execution_ms, network_ms, input_tokens, output_tokens, trace_id,
                    replay_of, edited_by, cost_micros, model, conversation_id
                FROM given
            ), summed AS (
                SELECT
                    (finished_at AT TIME ZONE 'UTC')::date AS day, tenant_id, caller,
                    -- A guest's credential is an address, which is not kept for years.
                    CASE WHEN credential_id LIKE 'guest:%' THEN '' ELSE credential_id END AS credential_id, tool_name,
                    coalesce(model, '') AS model, coalesce(conversation_id, '') AS conversation_id, latency_class,
                    min(user_id) AS user_id, count(*) AS number, count(*) FILTER (WHERE state = 'completed') AS completed,
                    count(*) FILTER (WHERE state = 'failed') AS failed, count(*) FILTER (WHERE state = 'cancelled') AS cancelled,
                    sum(attempts_made) AS attempts, sum(execution_ms) AS execution_ms, coalesce(sum(input_tokens), 0) AS input_tokens,
                    coalesce(sum(output_tokens), 0) AS output_tokens, sum(cost_micros) AS cost_micros
                FROM given GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
            )
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
                cost_micros = u.cost_micros + excluded.cost_micros, latencies = u.latencies || coalesce((
                    -- Of the classes that come, and not of all that are there: where many call, most sums get one or two.
                    SELECT jsonb_object_agg(class, number::bigint + coalesce((u.latencies ->> class)::bigint, 0))
                    FROM jsonb_each_text(excluded.latencies) AS counts (class, number)
                ), '{}');
            RETURN asked;
        EXCEPTION WHEN unique_violation THEN
            -- A call is there already, or is given twice. Nothing of the others was kept or summed.
            SELECT coalesce(jsonb_agg(c ORDER BY place), '[]') INTO fresh FROM (
                SELECT DISTINCT ON (c ->> 0, c ->> 1) c, place FROM jsonb_array_elements(fresh) WITH ORDINALITY AS given (c, place)
                ORDER BY c ->> 0, c ->> 1, place
            ) AS once
            WHERE NOT EXISTS (
                SELECT FROM call_history
                WHERE finished_at = to_timestamp((c ->> 0)::double precision / 1000)::timestamptz(3) AND job_id = c ->> 1
            );
            -- It was something else.
            IF jsonb_array_length(fresh) = asked THEN RAISE; END IF;
        END;
    END LOOP;
END $$;

DROP FUNCTION add_latencies(JSONB, JSONB);
