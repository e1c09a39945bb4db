-- CreateTable
CREATE TABLE "call_history" (
    "finished_at" TIMESTAMPTZ(3) NOT NULL,
    "job_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "user_id" TEXT,
    "caller" TEXT NOT NULL,
    "credential_id" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "tool_name" TEXT NOT NULL,
    "tool_version" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "code" TEXT,
    "native_code" TEXT,
    "attempts_made" INTEGER NOT NULL,
    "max_attempts" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "execution_ms" DOUBLE PRECISION NOT NULL,
    "network_ms" DOUBLE PRECISION NOT NULL,
    "input_tokens" INTEGER,
    "output_tokens" INTEGER,
    "trace_id" TEXT NOT NULL,
    "replay_of" TEXT,

    CONSTRAINT "call_history_pkey" PRIMARY KEY ("finished_at","job_id")
) PARTITION BY RANGE ("finished_at");

-- CreateIndex
CREATE INDEX "call_history_caller_finished_at_idx" ON "call_history"("caller", "finished_at");

-- CreateIndex
CREATE INDEX "call_history_tenant_id_finished_at_idx" ON "call_history"("tenant_id", "finished_at");

-- CreateTable
CREATE TABLE "call_usage" (
    "day" DATE NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "caller" TEXT NOT NULL,
    "tool_name" TEXT NOT NULL,
    "user_id" TEXT,
    "completed" BIGINT NOT NULL,
    "failed" BIGINT NOT NULL,
    "cancelled" BIGINT NOT NULL,
    "attempts" BIGINT NOT NULL,
    "execution_ms" DOUBLE PRECISION NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,

    CONSTRAINT "call_usage_pkey" PRIMARY KEY ("day","tenant_id","caller","tool_name")
);

-- CreateIndex
CREATE INDEX "call_usage_tenant_id_caller_day_idx" ON "call_usage"("tenant_id", "caller", "day");

-- What Prisma cannot say. The functions look up names in this schema alone: a table of the same name among somebody's temporary ones is
-- not taken for it.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- Makes the partition of a day of UTC unless it is there: for the audit and for the history.
CREATE FUNCTION day_partition(parent TEXT, day DATE) RETURNS VOID LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    name TEXT := parent || '_' || to_char(day, 'YYYYMMDD');
BEGIN
    IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
    PERFORM pg_advisory_xact_lock(hashtext(parent));
    EXECUTE format(
        'CREATE TABLE IF NOT EXISTS %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
        name, parent, day::text || ' 00:00:00+00', (day + 1)::text || ' 00:00:00+00'
    );
END $$;

CREATE OR REPLACE FUNCTION audit_partition(day DATE) RETURNS VOID LANGUAGE sql SET search_path FROM CURRENT AS $$
    SELECT day_partition('audit_event', day)
$$;

-- Keeps ended calls, each once however often it is given, and adds those that are new to the sums of their day. Returns how many were new.
CREATE FUNCTION keep_calls(calls JSONB) RETURNS INT LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
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
            attempts_made, max_attempts, created_at, started_at, execution_ms, network_ms, input_tokens, output_tokens, trace_id, replay_of
        )
        SELECT
            to_timestamp(c.finished_at / 1000), c.job_id, c.tenant_id, c.user_id, c.caller, c.credential_id, c.domain, c.tool_name,
            c.tool_version, c.state, c.code, c.native_code, c.attempts_made, c.max_attempts, to_timestamp(c.created_at / 1000),
            to_timestamp(c.started_at / 1000), c.execution_ms, c.network_ms, c.input_tokens, c.output_tokens, c.trace_id, c.replay_of
        FROM jsonb_to_recordset(calls) AS c (
            finished_at DOUBLE PRECISION, job_id TEXT, tenant_id TEXT, user_id TEXT, caller TEXT, credential_id TEXT, domain TEXT,
            tool_name TEXT, tool_version TEXT, state TEXT, code TEXT, native_code TEXT, attempts_made INT, max_attempts INT,
            created_at DOUBLE PRECISION, started_at DOUBLE PRECISION, execution_ms DOUBLE PRECISION, network_ms DOUBLE PRECISION,
            input_tokens INT, output_tokens INT, trace_id TEXT, replay_of TEXT
        )
        ON CONFLICT DO NOTHING
        RETURNING *
    ), summed AS (
        INSERT INTO call_usage AS u (
            day, tenant_id, caller, tool_name, user_id, completed, failed, cancelled, attempts, execution_ms, input_tokens, output_tokens
        )
        SELECT
            (finished_at AT TIME ZONE 'UTC')::date, tenant_id, caller, tool_name, min(user_id), count(*) FILTER (WHERE state = 'completed'),
            count(*) FILTER (WHERE state = 'failed'), count(*) FILTER (WHERE state = 'cancelled'), sum(attempts_made), sum(execution_ms),
            coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0)
        FROM kept GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
        ON CONFLICT (day, tenant_id, caller, tool_name) DO UPDATE SET
            completed = u.completed + excluded.completed, failed = u.failed + excluded.failed, cancelled = u.cancelled + excluded.cancelled,
            attempts = u.attempts + excluded.attempts, execution_ms = u.execution_ms + excluded.execution_ms,
            input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens
    )
    SELECT count(*) INTO fresh FROM kept;
    RETURN fresh;
END $$;
REVOKE ALL ON FUNCTION keep_calls(JSONB) FROM PUBLIC;

-- Drops what is more than so many days past, and makes the partitions of today and tomorrow. Returns how many days it dropped. It waits no
-- longer than a second for a lock, for others wait behind it.
CREATE FUNCTION keep_days(what TEXT, days INT) RETURNS INT LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '1s' AS $$
DECLARE
    today DATE := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    name TEXT;
    dropped INT := 0;
BEGIN
    IF what = 'audit_event' AND days < 30 THEN RAISE EXCEPTION 'an audit is kept for 30 days at least, not %', days; END IF;
    IF days < 1 THEN RAISE EXCEPTION 'days must be 1 or more, not %', days; END IF;
    IF what = 'call_usage' THEN
        SELECT count(DISTINCT day) INTO dropped FROM call_usage WHERE day < today - days;
        DELETE FROM call_usage WHERE day < today - days;
        RETURN dropped;
    END IF;
    IF what NOT IN ('audit_event', 'call_history') THEN RAISE EXCEPTION 'there are no days of %', what; END IF;
    -- One at a time, in the order in which a change that makes a partition takes its locks.
    PERFORM pg_advisory_xact_lock(hashtext(what));
    PERFORM day_partition(what, today);
    PERFORM day_partition(what, today + 1);
    FOR name IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = to_regclass(what) AND c.relname < what || '_' || to_char(today - days, 'YYYYMMDD')
        ORDER BY c.relname
    LOOP
        EXECUTE format('DROP TABLE %I', name);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END $$;
REVOKE ALL ON FUNCTION keep_days(TEXT, INT) FROM PUBLIC;

-- For gateways of the version before.
CREATE OR REPLACE FUNCTION keep_audit(days INT) RETURNS INT LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT keep_days('audit_event', days)
$$;
