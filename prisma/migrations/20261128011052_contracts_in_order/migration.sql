-- JSONB sorts the keys of an object by their length. In what a maker wrote their order says in which order forms ask.
ALTER TABLE "input_request" ALTER COLUMN "schema" SET DATA TYPE JSON;

ALTER TABLE "mcp_server" ALTER COLUMN "tools" SET DATA TYPE JSON;

-- JSON has no comparison of its own, and another order is no other contract.
CREATE OR REPLACE FUNCTION served_tool_change() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.contract::jsonb IS DISTINCT FROM OLD.contract::jsonb AND NEW.fingerprint IS NOT DISTINCT FROM OLD.fingerprint THEN
        NEW.fingerprint := NULL;
        NEW.digest := NULL;
    END IF;
    NEW.bytes := greatest(NEW.bytes, octet_length(NEW.contract::text));
    RETURN NEW;
END $$;
ALTER TABLE "served_tool" ALTER COLUMN "contract" SET DATA TYPE JSON;
