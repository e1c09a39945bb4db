-- CreateTable
CREATE TABLE "audit_event" (
    "at" TIMESTAMPTZ(3) NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "actor" TEXT,
    "application" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "tenant_id" TEXT,
    "changed" TEXT[],
    "facts" JSONB NOT NULL,

    CONSTRAINT "audit_event_pkey" PRIMARY KEY ("at","id")
) PARTITION BY RANGE ("at");

-- What Prisma cannot say: the days as partitions, and the triggers. Their functions look up names in this schema alone: a table of the same
-- name among somebody's temporary ones is not taken for it.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- Makes the partition of a day of UTC unless it is there.
CREATE FUNCTION audit_partition(day DATE) RETURNS VOID LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    name TEXT := 'audit_event_' || to_char(day, 'YYYYMMDD');
BEGIN
    IF to_regclass(name) IS NOT NULL THEN RETURN; END IF;
    PERFORM pg_advisory_xact_lock(hashtext('audit_partition'));
    EXECUTE format(
        'CREATE TABLE IF NOT EXISTS %I PARTITION OF audit_event FOR VALUES FROM (%L) TO (%L)',
        name, day::text || ' 00:00:00+00', (day + 1)::text || ' 00:00:00+00'
    );
END $$;

-- Notes what was done to a row, in the transaction that does it. Arguments of the trigger: the columns that name the row, and those whose
-- values are secret, long or not the administrator's, such as {name} {headers}.
CREATE FUNCTION audit_change() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    was JSONB := CASE WHEN TG_OP = 'INSERT' THEN '{}' ELSE to_jsonb(OLD) END;
    now_is JSONB := CASE WHEN TG_OP = 'DELETE' THEN '{}' ELSE to_jsonb(NEW) END;
    row_is JSONB := CASE WHEN TG_OP = 'DELETE' THEN was ELSE now_is END;
    happened TIMESTAMPTZ(3) := clock_timestamp();
BEGIN
    PERFORM audit_partition((happened AT TIME ZONE 'UTC')::date);
    INSERT INTO audit_event ("at", "actor", "application", "action", "subject", "tenant_id", "changed", "facts") VALUES (
        happened,
        nullif(current_setting('invoq.actor', true), ''),
        current_setting('application_name'),
        TG_TABLE_NAME || '.' || lower(TG_OP),
        (SELECT string_agg(row_is ->> key, ' ' ORDER BY place) FROM unnest(TG_ARGV[0]::text[]) WITH ORDINALITY AS k (key, place)),
        row_is ->> 'tenant_id',
        CASE WHEN TG_OP = 'UPDATE' THEN ARRAY(
            SELECT key FROM jsonb_each(now_is) AS e (key, value) WHERE value IS DISTINCT FROM was -> key AND key <> 'last_used_at' ORDER BY key
        ) END,
        row_is - TG_ARGV[1]::text[]
    );
    RETURN NULL;
END $$;

-- When a key was last used is no change of it.
CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON "api_key"
    FOR EACH ROW EXECUTE FUNCTION audit_change('{id}', '{hash,last_used_at}');
CREATE TRIGGER audit_changed AFTER UPDATE ON "api_key"
    FOR EACH ROW WHEN (to_jsonb(OLD) - 'last_used_at' IS DISTINCT FROM to_jsonb(NEW) - 'last_used_at')
    EXECUTE FUNCTION audit_change('{id}', '{hash,last_used_at}');

-- What waits for its approval is no more than a wish: a worker may announce as often as it likes.
CREATE TRIGGER audit_approved AFTER INSERT ON "served_tool"
    FOR EACH ROW WHEN (NEW.approved_at IS NOT NULL) EXECUTE FUNCTION audit_change('{tenant_id,name,version}', '{contract}');
CREATE TRIGGER audit_changed AFTER UPDATE ON "served_tool"
    FOR EACH ROW WHEN (NEW.approved_at IS NOT NULL OR OLD.approved_at IS NOT NULL)
    EXECUTE FUNCTION audit_change('{tenant_id,name,version}', '{contract}');
CREATE TRIGGER audit_removed AFTER DELETE ON "served_tool"
    FOR EACH ROW EXECUTE FUNCTION audit_change('{tenant_id,name,version}', '{contract}');

CREATE TRIGGER audit_changed AFTER INSERT OR UPDATE OR DELETE ON "mcp_server"
    FOR EACH ROW EXECUTE FUNCTION audit_change('{name}', '{headers,tools}');

-- Drops the partitions of days that are more than so many days past, and makes those of today and tomorrow. Returns how many it dropped.
-- It waits no longer than a second for a lock, for others wait behind it.
CREATE FUNCTION keep_audit(days INT) RETURNS INT LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '1s' AS $$
DECLARE
    today DATE := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    name TEXT;
    dropped INT := 0;
BEGIN
    IF days < 30 THEN RAISE EXCEPTION 'an audit is kept for 30 days at least, not %', days; END IF;
    -- One at a time, in the order in which a change that makes a partition takes its locks.
    PERFORM pg_advisory_xact_lock(hashtext('audit_partition'));
    PERFORM audit_partition(today);
    PERFORM audit_partition(today + 1);
    FOR name IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'audit_event'::regclass AND c.relname < 'audit_event_' || to_char(today - days, 'YYYYMMDD')
        ORDER BY c.relname
    LOOP
        EXECUTE format('DROP TABLE %I', name);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END $$;
REVOKE ALL ON FUNCTION keep_audit(INT) FROM PUBLIC;
