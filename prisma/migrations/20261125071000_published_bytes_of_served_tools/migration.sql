-- A contract counts as it is published, with what its references lead to in their places: the gateway says how large that is.
CREATE OR REPLACE FUNCTION served_tool_change() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.contract IS DISTINCT FROM OLD.contract AND NEW.fingerprint IS NOT DISTINCT FROM OLD.fingerprint THEN
        NEW.fingerprint := NULL;
        NEW.digest := NULL;
    END IF;
    NEW.bytes := greatest(NEW.bytes, octet_length(NEW.contract::text));
    RETURN NEW;
END $$;
