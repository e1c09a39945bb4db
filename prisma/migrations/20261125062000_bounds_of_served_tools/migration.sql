-- What of a version is compared without its contract.
ALTER TABLE "served_tool" ADD COLUMN     "bytes" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "digest" TEXT,
ADD COLUMN     "fingerprint" TEXT,
ADD COLUMN     "warnings" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "served_removal" (
    "tenant_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "substance" TEXT NOT NULL,
    "removed_by" TEXT NOT NULL,
    "removed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "served_removal_pkey" PRIMARY KEY ("tenant_id","name","version")
);

-- A gateway of an older version writes a contract without its fingerprint; then it is not known.
CREATE FUNCTION served_tool_change() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    NEW.bytes := octet_length(NEW.contract::text);
    IF TG_OP = 'UPDATE' AND NEW.contract IS DISTINCT FROM OLD.contract AND NEW.fingerprint IS NOT DISTINCT FROM OLD.fingerprint THEN
        NEW.fingerprint := NULL;
        NEW.digest := NULL;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER served_tool_change BEFORE INSERT OR UPDATE ON "served_tool"
    FOR EACH ROW EXECUTE FUNCTION served_tool_change();
-- What follows from the contract is no news beside it.
DROP TRIGGER audit_approved ON "served_tool";
CREATE TRIGGER audit_approved AFTER INSERT ON "served_tool"
    FOR EACH ROW WHEN (NEW.approved_at IS NOT NULL)
    EXECUTE FUNCTION audit_change('{tenant_id,name,version}', '{contract,bytes,digest,warnings}');
DROP TRIGGER audit_changed ON "served_tool";
CREATE TRIGGER audit_changed AFTER UPDATE ON "served_tool"
    FOR EACH ROW WHEN (
        (NEW.approved_at IS NOT NULL OR OLD.approved_at IS NOT NULL)
        AND to_jsonb(OLD) - '{bytes,digest,fingerprint,warnings}'::text[] IS DISTINCT FROM to_jsonb(NEW) - '{bytes,digest,fingerprint,warnings}'::text[]
    )
    EXECUTE FUNCTION audit_change('{tenant_id,name,version}', '{contract,bytes,digest,warnings}');
DROP TRIGGER audit_removed ON "served_tool";
CREATE TRIGGER audit_removed AFTER DELETE ON "served_tool"
    FOR EACH ROW EXECUTE FUNCTION audit_change('{tenant_id,name,version}', '{contract,bytes,digest,warnings}');

UPDATE "served_tool" SET "bytes" = 0;
